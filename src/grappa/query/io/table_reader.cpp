#include "grappa/query/io/table_reader.hpp"

#include <string_view>
#include <utility>

#include "grappa/base/error.hpp"
#include "grappa/io/examined_file.hpp"
#include "grappa/io/matching_files.hpp"
#include "grappa/query/io/all_gather.hpp"
#include "grappa/query/io/parquet/metadata.hpp"
#include "grappa/query/io/parquet_reader.hpp"
#include "grappa/query/io/read_columns.hpp"
#include "grappa/query/io/row_format.hpp"
#include "grappa/query/io/text_reader.hpp"

namespace grappa::query {
namespace {

TableFormat format_of(const std::string& path) {
  const std::string_view name = plain_name(path);
  constexpr std::pair<std::string_view, TableFormat> kEndings[] = {
      {".parquet", TableFormat::kParquet}, {".pq", TableFormat::kParquet},
      {".jsonl", TableFormat::kJson},      {".ndjson", TableFormat::kJson},
      {".json", TableFormat::kJson},       {".nt", TableFormat::kTriples}};
  for (const auto& [ending, format] : kEndings)
    if (name.ends_with(ending)) return format;
  try {
    const io::ExaminedFile file(io::matching_files(path).front(), io::Empty::kAllowed);
    if (file.start().starts_with(parquet::kMagic)) return TableFormat::kParquet;
  } catch (const InputError&) {
    return TableFormat::kCsv;  // whose reader says what is wrong
  }
  return TableFormat::kCsv;
}

}  // namespace

Table open_table(const TableSource& source, const io::ParallelFor& parallel,
                 const Exchange& exchange, Progress* progress) {
  TableFormat format = source.format;
  // As the first locale sees it.
  if (format == TableFormat::kDetected)
    format = static_cast<TableFormat>(
        all_gather(exchange, static_cast<int>(format_of(source.paths.front()))).front());
  if (format == TableFormat::kParquet) {
    Table table = open_parquet(source.paths, exchange);
    if (!table.file->can_read_again()) read_all_columns(table, parallel, exchange, progress);
    return table;
  }
  TextOptions options = source.text;
  if (format == TableFormat::kJson) options.lines = LineKind::kJson;
  if (format == TableFormat::kTriples) options.lines = LineKind::kTriples;
  return load_text(source.paths, options, parallel, exchange, progress);
}

}  // namespace grappa::query
