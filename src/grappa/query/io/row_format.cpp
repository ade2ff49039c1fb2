#include "grappa/query/io/row_format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "grappa/base/error.hpp"

namespace grappa::query {

RowFormat format_named(std::string_view name) {
  return {.name = std::string(name), .csv = {.delimiter = name == "tsv" ? '\t' : ','}};
}

std::string_view plain_name(std::string_view path) {
  for (const std::string_view ending : {".gz", ".zst"})
    if (path.ends_with(ending)) return path.substr(0, path.size() - ending.size());
  return path;
}

RowFormat format_by_name(std::string_view path) {
  const std::string_view plain = plain_name(path);
  constexpr std::pair<std::string_view, std::string_view> kEndings[] = {
      {".tsv", "tsv"},      {".json", "json"},       {".jsonl", "jsonl"},
      {".ndjson", "jsonl"}, {".parquet", "parquet"}, {".pq", "parquet"}};
  for (const auto& [ending, name] : kEndings) {
    if (!plain.ends_with(ending)) continue;
    if (name == "parquet" && plain != path)
      throw UsageError(
          fmt::format("{}: a Parquet file compresses its columns itself; let its name end with {}",
                      path, ending));
    return format_named(name);
  }
  return {};
}

std::string_view unknown_ending(std::string_view path) {
  const std::string_view plain = plain_name(path);
  const std::string_view file = plain.substr(plain.rfind('/') + 1);
  const std::size_t point = file.rfind('.');
  if (point == std::string_view::npos || point == 0) return {};
  const std::string_view ending = file.substr(point);
  constexpr std::string_view kPlainTexts[] = {".csv",  ".txt", ".text", ".dat",
                                              ".data", ".out", ".tbl",  ".log"};
  const bool is_format = ending.size() > 2 && std::ranges::all_of(ending.substr(1), [](char c) {
                           return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
                         });
  const bool is_known = format_by_name(path).name != "csv" ||
                        std::ranges::find(kPlainTexts, ending) != std::end(kPlainTexts);
  return is_format && !is_known ? ending : std::string_view();
}

std::unique_ptr<RowWriter> row_writer(const RowFormat& format, TextSink sink,
                                      io::ParallelFor parallel) {
  if (format.is_parquet())
    return parquet_writer(std::move(sink), std::move(parallel), format.codec);
  if (format.name == "json") return json_array_writer(std::move(sink));
  if (format.name == "jsonl") return json_lines_writer(std::move(sink));
  return csv_writer(std::move(sink), format.csv);
}

}  // namespace grappa::query
