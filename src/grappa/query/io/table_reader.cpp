#include "grappa/query/io/table_reader.hpp"

#include <cstdint>

#include "grappa/base/error.hpp"
#include "grappa/io/examined_file.hpp"
#include "grappa/io/matching_files.hpp"
#include "grappa/query/io/all_gather.hpp"
#include "grappa/query/io/csv_reader.hpp"
#include "grappa/query/io/parquet/metadata.hpp"
#include "grappa/query/io/parquet_reader.hpp"

namespace grappa::query {
namespace {

enum class TableFormat : std::uint8_t { kCsv, kParquet };

TableFormat format_of(const std::string& path) {
  if (path.ends_with(".parquet") || path.ends_with(".pq")) return TableFormat::kParquet;
  try {
    const io::ExaminedFile file(io::matching_files(path).front(), io::Empty::kAllowed);
    if (file.start().starts_with(parquet::kMagic)) return TableFormat::kParquet;
  } catch (const InputError&) {
    // The reader says what is wrong.
  }
  return TableFormat::kCsv;
}

}  // namespace

Table load_table(const std::string& path, const io::ParallelFor& parallel, const Exchange& exchange,
                 Progress* progress) {
  // As the first locale sees it.
  const TableFormat format =
      static_cast<TableFormat>(all_gather(exchange, static_cast<int>(format_of(path))).front());
  if (format == TableFormat::kParquet) return load_parquet({path}, parallel, exchange, progress);
  return load_csv({path}, {}, parallel, exchange, progress);
}

}  // namespace grappa::query
