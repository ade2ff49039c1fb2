#include "grappa/query/io/parquet/footer_writer.hpp"

#include <fmt/format.h>

#include "grappa/base/version.hpp"
#include "grappa/query/io/parquet/thrift_writer.hpp"

namespace grappa::query::parquet {
namespace {

/// The older annotation, or -1.
std::int32_t converted_type(const SchemaElement& element) {
  switch (element.meaning) {
    case Meaning::kText:
      return 0;
    case Meaning::kDecimal:
      return 5;
    case Meaning::kDate:
      return 6;
    case Meaning::kInteger:
      return element.bits == 8 ? 15 : element.bits == 16 ? 16 : element.bits == 32 ? 17 : 18;
    case Meaning::kInterval:
      return 21;
    default:
      // Those of times would say that they are of UTC, which nobody knows.
      return -1;
  }
}

class FooterWriter {
 public:
  std::string write(const std::vector<SchemaElement>& columns,
                    const std::vector<WrittenGroup>& groups,
                    const std::vector<std::int64_t>& places, Codec codec) {
    std::int64_t rows = 0;
    for (const WrittenGroup& group : groups) rows += group.rows;
    out_.integer(1, 1);
    out_.list(2, ThriftType::kStruct, columns.size() + 1, [&] {
      out_.element([&] {
        out_.text(4, "schema");
        out_.integer(5, static_cast<std::int32_t>(columns.size()));
      });
      for (const SchemaElement& column : columns) out_.element([&] { schema_element(column); });
    });
    out_.long_integer(3, rows);
    out_.list(4, ThriftType::kStruct, groups.size(), [&] {
      for (std::size_t g = 0; g < groups.size(); ++g)
        out_.element([&] { row_group(columns, groups[g], places[g], codec); });
    });
    out_.text(6, fmt::format("Grappa version {}", version()));
    // Without the order of types, nobody trusts what is least and greatest.
    out_.list(7, ThriftType::kStruct, columns.size(), [&] {
      for (std::size_t i = 0; i < columns.size(); ++i)
        out_.element([&] { out_.structure(1, [] {}); });
    });
    return out_.finish();
  }

 private:
  void schema_element(const SchemaElement& column) {
    out_.integer(1, static_cast<std::int32_t>(*column.stored));
    if (column.length > 0) out_.integer(2, static_cast<std::int32_t>(column.length));
    out_.integer(3, static_cast<std::int32_t>(column.repetition));
    out_.text(4, column.name);
    if (const std::int32_t converted = converted_type(column); converted >= 0)
      out_.integer(6, converted);
    if (column.meaning == Meaning::kDecimal) {
      out_.integer(7, column.scale);
      out_.integer(8, column.precision);
    }
    const auto logical = [&](int number, const auto& write) {
      out_.structure(10, [&] { out_.structure(number, write); });
    };
    switch (column.meaning) {
      case Meaning::kText:
        return logical(1, [] {});
      case Meaning::kDecimal:
        return logical(5, [&] {
          out_.integer(1, column.scale);
          out_.integer(2, column.precision);
        });
      case Meaning::kDate:
        return logical(6, [] {});
      case Meaning::kTime:
      case Meaning::kTimestamp:
        return logical(column.meaning == Meaning::kTime ? 7 : 8, [&] {
          out_.boolean(1, false);  // of no time zone
          out_.structure(2, [&] { out_.structure(static_cast<int>(column.unit) + 1, [] {}); });
        });
      case Meaning::kInteger:
        return logical(10, [&] {
          out_.small(1, static_cast<std::int8_t>(column.bits));
          out_.boolean(2, true);
        });
      default:
        return;
    }
  }

  void row_group(const std::vector<SchemaElement>& columns, const WrittenGroup& group,
                 std::int64_t place, Codec codec) {
    std::int64_t plain = 0;
    std::int64_t bytes = 0;
    for (const WrittenChunk& chunk : group.chunks) {
      plain += chunk.plain_bytes;
      bytes += chunk.bytes;
    }
    out_.list(1, ThriftType::kStruct, columns.size(), [&] {
      for (std::size_t c = 0; c < columns.size(); ++c) {
        out_.element([&] {
          out_.long_integer(2, 0);
          out_.structure(
              3, [&] { chunk_metadata(columns[c], group.chunks[c], group.rows, place, codec); });
        });
      }
    });
    out_.long_integer(2, plain);
    out_.long_integer(3, group.rows);
    out_.long_integer(5, place);
    out_.long_integer(6, bytes);
  }

  void chunk_metadata(const SchemaElement& column, const WrittenChunk& chunk, std::int64_t rows,
                      std::int64_t place, Codec codec) {
    const bool has_dictionary = chunk.dictionary_place >= 0;
    out_.integer(1, static_cast<std::int32_t>(*column.stored));
    out_.list(2, ThriftType::kInt32, has_dictionary ? 3 : 2, [&] {
      out_.integer_element(static_cast<std::int32_t>(Encoding::kPlain));
      out_.integer_element(static_cast<std::int32_t>(Encoding::kRuns));
      if (has_dictionary) out_.integer_element(static_cast<std::int32_t>(Encoding::kDictionary));
    });
    out_.list(3, ThriftType::kBinary, 1, [&] { out_.text_element(column.name); });
    out_.integer(4, static_cast<std::int32_t>(codec));
    out_.long_integer(5, rows);
    out_.long_integer(6, chunk.plain_bytes);
    out_.long_integer(7, chunk.bytes);
    out_.long_integer(9, place + chunk.data_place);
    if (has_dictionary) out_.long_integer(11, place + chunk.dictionary_place);
    out_.structure(12, [&] {
      out_.long_integer(3, chunk.nulls);
      if (!chunk.least.empty()) {
        out_.text(5, chunk.greatest);
        out_.text(6, chunk.least);
      }
    });
  }

  ThriftWriter out_;
};

}  // namespace

std::string footer_of(const std::vector<SchemaElement>& columns,
                      const std::vector<WrittenGroup>& groups,
                      const std::vector<std::int64_t>& places, Codec codec) {
  std::string footer = FooterWriter().write(columns, groups, places, codec);
  const auto length = static_cast<std::uint32_t>(footer.size());
  footer.append(reinterpret_cast<const char*>(&length), sizeof length);
  footer += kMagic;
  return footer;
}

}  // namespace grappa::query::parquet
