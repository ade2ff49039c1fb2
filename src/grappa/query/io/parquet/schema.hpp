#pragma once

// The columns of a Parquet file as columns of ours.
//
//   for (const FileColumn& column : columns_of(metadata))
//     if (column.refusal.empty()) use(column.name, column.type);
//
// Integers keep their width, those without sign get the next one, and those of 64 bits become
// decimals of 20 digits. Bytes that are not annotated are texts. Timestamps with a time zone are
// those of UTC; nanoseconds are cut to microseconds. Lists, maps and structs have no type here.

#include <cstddef>
#include <string>
#include <vector>

#include "grappa/query/io/parquet/metadata.hpp"
#include "grappa/query/type.hpp"

namespace grappa::query::parquet {

struct FileColumn {
  std::string name;
  Type type{};
  SchemaElement element{};
  std::size_t leaf = 0;  // its place among the chunks of a row group
  /// Why it cannot be loaded: "is a list".
  std::string refusal{};

  bool is_optional() const { return element.repetition == Repetition::kOptional; }
};

/// In the order of the file; of what is nested, one for all of it. Damage where the schema is none.
std::vector<FileColumn> columns_of(const Metadata& metadata);

}  // namespace grappa::query::parquet
