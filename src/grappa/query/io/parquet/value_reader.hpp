#pragma once

// The values of a data page, as they are stored.
//
//   ValueReader<std::int64_t> reader;
//   reader.begin(Encoding::kPlain, bytes, count, 0);
//   reader.read(out, 100);
//
// Values of bytes refer to the page, or are valid until the next call. Damage where there are fewer
// values, or in an encoding that the type does not have. kBitPadding bytes behind the page may be
// read. One thread.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "grappa/query/io/parquet/delta_reader.hpp"
#include "grappa/query/io/parquet/metadata.hpp"
#include "grappa/query/io/parquet/run_reader.hpp"

namespace grappa::query::parquet {

/// Nanoseconds of a day, and the Julian day.
struct Int96 {
  std::uint64_t nanoseconds;
  std::uint32_t day;
} __attribute__((packed));
static_assert(sizeof(Int96) == 12);

/// P is std::uint8_t for booleans, an integer, a float, a double, Int96, or a std::string_view for
/// bytes.
template <class P>
class ValueReader {
 public:
  /// Of up to `count` values; `length`: of fixed bytes, else 0.
  void begin(Encoding encoding, std::string_view bytes, std::size_t count, std::size_t length);
  void read(P* out, std::size_t count);

 private:
  static constexpr bool kIsBytes = std::is_same_v<P, std::string_view>;

  void read_plain(P* out, std::size_t count);
  void read_split(P* out, std::size_t count);
  void read_lengths(P* out, std::size_t count);
  void read_prefixes(P* out, std::size_t count);
  std::string_view take(std::size_t bytes);

  Encoding encoding_ = Encoding::kPlain;
  std::string_view bytes_;  // that are left; of split values, all
  std::size_t count_ = 0;   // of split values
  std::size_t given_ = 0;   // where values have places
  std::size_t length_ = 0;
  RunReader runs_;
  DeltaReader deltas_;  // values or lengths
  // Texts by what they have in common with the one before.
  std::vector<std::int32_t> prefixes_;  // of the page
  std::vector<std::int32_t> lengths_;   // the same
  std::string last_;
  std::vector<char> made_;         // bytes that a call returns,
  std::vector<std::size_t> ends_;  // and where texts end in them
};

}  // namespace grappa::query::parquet
