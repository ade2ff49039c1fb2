#include "grappa/query/io/parquet/chunk_writer.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "grappa/base/error.hpp"
#include "grappa/query/io/parquet/codec.hpp"
#include "grappa/query/io/parquet/thrift_writer.hpp"

namespace grappa::query::parquet {
namespace {

constexpr std::size_t kPageBytes = std::size_t{1} << 20;
/// Beyond it, LZ4 takes none, and what does not compress may be longer than a header can say.
constexpr std::size_t kMostPageBytes = 2'000'000'000;

template <class V>
void append_raw(std::string& out, const V& value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void append_big_endian(std::string& out, Int128 value) {
  for (int shift = 120; shift >= 0; shift -= 8) out += static_cast<char>(value >> shift & 0xff);
}

void append_interval(std::string& out, const Interval& value) {
  constexpr std::int64_t kMicrosOfMilli = 1000;
  const std::int64_t millis = value.microseconds / kMicrosOfMilli;
  if (value.months < 0 || value.days < 0 || value.microseconds < 0 ||
      value.microseconds % kMicrosOfMilli != 0 ||
      millis > std::numeric_limits<std::uint32_t>::max())
    throw UsageError(
        "an interval that is negative, or has parts of a millisecond, cannot be written to a "
        "Parquet file: cast it to text");
  append_raw(out, static_cast<std::uint32_t>(value.months));
  append_raw(out, static_cast<std::uint32_t>(value.days));
  append_raw(out, static_cast<std::uint32_t>(millis));
}

/// A value as it is stored; not of booleans.
template <class T>
void append_plain(std::string& out, const T& value) {
  if constexpr (std::is_same_v<T, TextRef>) {
    append_raw(out, static_cast<std::uint32_t>(value.size()));
    out += value.view();
  } else if constexpr (std::is_same_v<T, Int128>) {
    append_big_endian(out, value);
  } else if constexpr (std::is_same_v<T, Interval>) {
    append_interval(out, value);
  } else if constexpr (std::is_integral_v<T> && sizeof(T) < sizeof(std::int32_t)) {
    append_raw(out, std::int32_t{value});
  } else {
    append_raw(out, value);
  }
}

void append_run_header(std::string& out, std::uint64_t header) {
  for (; header >= 0x80; header >>= 7) out += static_cast<char>(header | 0x80);
  out += static_cast<char>(header);
}

/// Small numbers, packed into bits, in groups of eight.
template <class At>
void append_packed(std::string& out, std::size_t count, int width, const At& at) {
  append_run_header(out, (count + 7) / 8 << 1 | 1);
  std::uint64_t bits = 0;
  int filled = 0;
  for (std::size_t i = 0; i < (count + 7) / 8 * 8; ++i) {
    bits |= std::uint64_t{i < count ? at(i) : 0u} << filled;
    for (filled += width; filled >= 8; filled -= 8, bits >>= 8) out += static_cast<char>(bits);
  }
}

class ColumnWriter {
 public:
  ColumnWriter(const ColumnBlock& column, std::size_t rows, Codec codec, std::string& out)
      : column_(column), rows_(rows), codec_(codec), out_(out), begin_(out.size()) {}

  WrittenChunk write() {
    const auto place = [&] { return static_cast<std::int64_t>(out_.size()); };
    with_physical(column_.type.physical(), [&]<class T>() {
      if (is_coded()) {
        made_.dictionary_place = place();
        write_dictionary();
      }
      made_.data_place = place();
      std::size_t begin = 0;
      do begin = write_page<T>(begin);
      while (begin < rows_);
    });
    made_.bytes = static_cast<std::int64_t>(out_.size() - begin_);
    if (column_.range) {
      with_physical(column_.type.physical(), [&]<class T>() {
        if constexpr (std::is_integral_v<T> && !std::is_same_v<T, std::uint8_t>) {
          append_plain(made_.least, static_cast<T>(column_.range->least));
          append_plain(made_.greatest, static_cast<T>(column_.range->greatest));
        }
      });
    }
    return std::move(made_);
  }

 private:
  bool is_coded() const { return column_.codes != nullptr; }
  bool is_valid(std::size_t row) const {
    return column_.valid == nullptr ||
           bit_at(column_.valid.get(), is_coded() ? column_.codes[row] : row);
  }

  /// All entries keep their numbers, that of NULL as an empty text.
  void write_dictionary() {
    std::string page;
    const auto* const entries = reinterpret_cast<const TextRef*>(column_.values.get());
    for (std::uint32_t i = 0; i < column_.dictionary_size; ++i) {
      const bool is_text = column_.valid == nullptr || bit_at(column_.valid.get(), i);
      append_plain(page, is_text ? entries[i] : TextRef());
    }
    append_page(PageKind::kDictionary, page, [&](ThriftWriter& header) {
      header.structure(7, [&] {
        header.integer(1, static_cast<std::int32_t>(column_.dictionary_size));
        header.integer(2, static_cast<std::int32_t>(Encoding::kPlain));
      });
    });
  }

  /// Returns the row behind the page.
  template <class T>
  std::size_t write_page(std::size_t begin) {
    const auto* const values = reinterpret_cast<const T*>(column_.values.get());
    std::string body;
    std::size_t end = begin;
    std::uint8_t bits = 0;  // of booleans
    std::size_t there = 0;
    for (; end < rows_ && body.size() < kPageBytes; ++end) {
      if (!is_valid(end)) continue;
      if constexpr (std::is_same_v<T, std::uint8_t>) {
        bits |= static_cast<std::uint8_t>((values[end] != 0 ? 1 : 0) << there % 8);
        if (there % 8 == 7) body += static_cast<char>(std::exchange(bits, std::uint8_t{0}));
      } else {
        if (!is_coded()) append_plain(body, values[end]);
      }
      ++there;
    }
    if (std::is_same_v<T, std::uint8_t> && there % 8 != 0) body += static_cast<char>(bits);
    if (is_coded()) append_codes(body, begin, end, there);
    const std::size_t rows = end - begin;
    made_.nulls += static_cast<std::int64_t>(rows - there);
    std::string page = levels(begin, end, there);
    page += body;
    append_page(PageKind::kData, page, [&](ThriftWriter& header) {
      header.structure(5, [&] {
        header.integer(1, static_cast<std::int32_t>(rows));
        header.integer(
            2, static_cast<std::int32_t>(is_coded() ? Encoding::kDictionary : Encoding::kPlain));
        header.integer(3, static_cast<std::int32_t>(Encoding::kRuns));
        header.integer(4, static_cast<std::int32_t>(Encoding::kRuns));
      });
    });
    return end;
  }

  void append_codes(std::string& body, std::size_t begin, std::size_t end, std::size_t there) {
    // Not all readers take codes of no bits, or runs of nothing.
    const int width = std::bit_width(std::max(column_.dictionary_size, 2u) - 1);
    body += static_cast<char>(width);
    if (there == 0) return;
    std::size_t row = begin;
    append_packed(body, there, width, [&](std::size_t) {
      while (row < end && !is_valid(row)) ++row;
      return std::uint32_t{column_.codes[row++]};
    });
  }

  /// Which rows are not NULL, behind the length of that.
  std::string levels(std::size_t begin, std::size_t end, std::size_t there) const {
    std::string runs;
    const std::size_t rows = end - begin;
    if (there == rows || there == 0) {
      append_run_header(runs, rows << 1);
      runs += static_cast<char>(there == rows ? 1 : 0);
    } else {
      append_packed(runs, rows, 1, [&](std::size_t i) { return is_valid(begin + i) ? 1u : 0u; });
    }
    std::string made;
    append_raw(made, static_cast<std::uint32_t>(runs.size()));
    return made += runs;
  }

  template <class Details>
  void append_page(PageKind kind, const std::string& page, const Details& details) {
    if (page.size() > kMostPageBytes)
      throw UsageError(
          "texts of more than 2 GB in a row group cannot be written to a Parquet file");
    const std::string compressed = compress(codec_, page);
    ThriftWriter header;
    header.integer(1, static_cast<std::int32_t>(kind));
    header.integer(2, static_cast<std::int32_t>(page.size()));
    header.integer(3, static_cast<std::int32_t>(compressed.size()));
    details(header);
    const std::string& bytes = header.finish();
    made_.plain_bytes += static_cast<std::int64_t>(bytes.size() + page.size());
    out_ += bytes;
    out_ += compressed;
  }

  const ColumnBlock& column_;
  std::size_t rows_;
  Codec codec_;
  std::string& out_;
  std::size_t begin_;
  WrittenChunk made_;
};

}  // namespace

SchemaElement stored_as(const std::string& name, const Type& type) {
  SchemaElement made{.name = name, .repetition = Repetition::kOptional};
  const auto as = [&](Stored stored, Meaning meaning = Meaning::kNone) {
    made.stored = stored;
    made.meaning = meaning;
  };
  const auto integer = [&](Stored stored, int bits) {
    as(stored, Meaning::kInteger);
    made.bits = bits;
  };
  const auto fixed = [&](Meaning meaning, std::int64_t length) {
    as(Stored::kFixedBytes, meaning);
    made.length = length;
  };
  switch (type.id) {
    case TypeId::kNull:
    case TypeId::kBoolean:
      as(Stored::kBoolean);
      break;
    case TypeId::kInt8:
      integer(Stored::kInt32, 8);
      break;
    case TypeId::kInt16:
      integer(Stored::kInt32, 16);
      break;
    case TypeId::kInt32:
      integer(Stored::kInt32, 32);
      break;
    case TypeId::kInt64:
      integer(Stored::kInt64, 64);
      break;
    case TypeId::kDecimal:
      if (type.physical() == Physical::kInt64)
        as(Stored::kInt64, Meaning::kDecimal);
      else
        fixed(Meaning::kDecimal, sizeof(Int128));
      made.precision = type.precision;
      made.scale = type.scale;
      break;
    case TypeId::kFloat:
      as(Stored::kFloat);
      break;
    case TypeId::kDouble:
      as(Stored::kDouble);
      break;
    case TypeId::kDate:
      as(Stored::kInt32, Meaning::kDate);
      break;
    case TypeId::kTime:
      as(Stored::kInt64, Meaning::kTime);
      break;
    case TypeId::kTimestamp:
      as(Stored::kInt64, Meaning::kTimestamp);
      break;
    case TypeId::kInterval:
      fixed(Meaning::kInterval, 12);
      break;
    case TypeId::kText:
      as(Stored::kBytes, Meaning::kText);
      break;
  }
  return made;
}

WrittenGroup write_group(const Block& block, Codec codec) {
  WrittenGroup made{.rows = static_cast<std::int64_t>(block.rows)};
  for (const ColumnBlock& column : block.columns)
    made.chunks.push_back(ColumnWriter(column, block.rows, codec, made.bytes).write());
  return made;
}

}  // namespace grappa::query::parquet
