#pragma once

// What stands at the end of a Parquet file.
//
//   const std::string footer = footer_of(columns, groups, places, Codec::kSnappy);

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "grappa/query/io/parquet/chunk_writer.hpp"
#include "grappa/query/io/parquet/metadata.hpp"

namespace grappa::query::parquet {

/// `places`: where the groups begin in the file. Their bytes are not looked at.
std::string footer_of(const std::vector<SchemaElement>& columns,
                      const std::vector<WrittenGroup>& groups,
                      const std::vector<std::int64_t>& places, Codec codec);

}  // namespace grappa::query::parquet
