#include "grappa/query/io/table_reader.hpp"

#include "grappa/base/error.hpp"
#include "grappa/io/examined_file.hpp"
#include "grappa/io/matching_files.hpp"
#include "grappa/query/io/all_gather.hpp"
#include "grappa/query/io/csv_reader.hpp"
#include "grappa/query/io/parquet/metadata.hpp"
#include "grappa/query/io/parquet_reader.hpp"

namespace grappa::query {
namespace {

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

Table load_table(const TableSource& source, const io::ParallelFor& parallel,
                 const Exchange& exchange, Progress* progress) {
  TableFormat format = source.format;
  // As the first locale sees it.
  if (format == TableFormat::kDetected)
    format = static_cast<TableFormat>(
        all_gather(exchange, static_cast<int>(format_of(source.path))).front());
  if (format == TableFormat::kParquet)
    return load_parquet({source.path}, parallel, exchange, progress);
  return load_csv({source.path}, source.csv, parallel, exchange, progress);
}

}  // namespace grappa::query
