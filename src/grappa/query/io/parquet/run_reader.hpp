#pragma once

// Runs: small integers, each run of which is one value that repeats, or values packed into bits.
//
//   RunReader levels(bytes, 1);
//   if (!levels.skip_all_of(1, count)) levels.read(out, count);
//
// Damage where there are fewer. kBitPadding bytes behind may be read. One thread.
// ("RLE" in the specification of Parquet's encodings.)

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "grappa/query/io/parquet/damage.hpp"

namespace grappa::query::parquet {

class RunReader {
 public:
  RunReader() = default;
  RunReader(std::string_view bytes, int width);

  void read(std::uint32_t* out, std::size_t count);
  /// Where all of the next are this value, and in one run, they are taken.
  bool skip_all_of(std::uint32_t value, std::size_t count) {
    if (left_ == 0) next_run();
    if (is_packed_ || value_ != value || left_ < count) return false;
    left_ -= count;
    return true;
  }

 private:
  void next_run();

  const char* at_ = nullptr;
  const char* end_ = nullptr;
  int width_ = 0;
  bool is_packed_ = false;
  std::uint64_t left_ = 0;   // of the run
  std::uint32_t value_ = 0;  // that repeats
  std::size_t bit_ = 0;      // of packed_, where the next value is
  const char* packed_ = nullptr;
};

}  // namespace grappa::query::parquet
