// Any bytes are a Parquet file whose columns can be loaded, or Damage.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "grappa/query/io/parquet/chunk_reader.hpp"
#include "grappa/query/io/parquet/damage.hpp"
#include "grappa/query/io/parquet/metadata.hpp"
#include "grappa/query/io/parquet/schema.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace grappa::query::parquet;
  const std::string_view file(reinterpret_cast<const char*>(data), size);
  try {
    const Metadata metadata = read_metadata(file);
    // A few bytes may say that a value comes very often.
    constexpr std::int64_t kMostRows = std::int64_t{1} << 18;
    if (metadata.rows > kMostRows) return 0;
    const std::vector<FileColumn> columns = columns_of(metadata);
    for (const RowGroup& group : metadata.groups) {
      for (const FileColumn& column : columns) {
        if (!column.refusal.empty()) continue;
        try {
          const auto reader = grappa::query::parquet::read_chunk(
              file, column, group.chunks[column.leaf], group.rows,
              grappa::query::DistinctCounting::kWanted);
          for (std::int64_t row = 0; row < group.rows;
               row += std::int64_t{grappa::query::kBlockRows})
            reader->next();
        } catch (const Damage&) {
          continue;
        }
      }
    }
  } catch (const Damage&) {
    return 0;
  }
  return 0;
}
