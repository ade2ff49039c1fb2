#pragma once

// Integers by the differences between them, packed into bits.
//
//   DeltaReader reader(bytes);
//   reader.read(out, count);
//   use(reader.rest());                        // what is behind all of them
//
// Damage where there are fewer. kBitPadding bytes behind may be read. One thread.
// (DELTA_BINARY_PACKED in the specification of Parquet's encodings.)

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "grappa/query/io/parquet/damage.hpp"

namespace grappa::query::parquet {

class DeltaReader {
 public:
  DeltaReader() = default;
  explicit DeltaReader(std::string_view bytes);

  std::uint64_t count() const { return count_; }
  /// T is an integer; what its bits do not hold is cut off.
  template <class T>
  void read(T* out, std::size_t count);
  std::string_view rest();

 private:
  std::uint64_t varint();
  void next_block();
  void next_miniblock();

  const char* at_ = nullptr;
  const char* end_ = nullptr;
  std::uint64_t miniblocks_ = 0;  // of a block
  std::uint64_t miniblock_values_ = 0;
  std::uint64_t count_ = 0;
  std::uint64_t given_ = 0;  // of them
  std::uint64_t value_ = 0;  // the next one, where `is_first_`; else the last
  bool is_first_ = true;
  std::uint64_t least_delta_ = 0;
  const char* widths_ = nullptr;  // of the block
  std::uint64_t miniblock_ = 0;   // of the block, that comes next
  std::uint64_t left_ = 0;        // of the miniblock
  const char* packed_ = nullptr;
  std::size_t bit_ = 0;
  int width_ = 0;
};

}  // namespace grappa::query::parquet
