#pragma once

// How rows are written to a file: its format, and what there is to say about that.
//
//   const RowFormat format = format_by_name("people.tsv.gz");            // tabs
//   const auto writer = row_writer(format, [&](std::string_view bytes) { out.write(bytes); },
//                                  parallel);

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "grappa/io/parallel_for.hpp"
#include "grappa/query/io/parquet/metadata.hpp"
#include "grappa/query/io/row_writer.hpp"

namespace grappa::query {

inline const std::vector<std::string> kRowFormats = {"csv", "tsv", "json", "jsonl", "parquet"};

struct RowFormat {
  std::string name = "csv";  // one of the above
  CsvStyle csv = {};
  parquet::Codec codec = parquet::Codec::kSnappy;

  bool is_parquet() const { return name == "parquet"; }
  bool is_csv() const { return name == "csv" || name == "tsv"; }
};

/// `name` is one of kRowFormats.
RowFormat format_named(std::string_view name);

/// As the file's name ends, before .gz or .zst: .tsv, .json, .jsonl, .ndjson, .parquet, .pq; CSV
/// everywhere else. UsageError for Parquet that would be compressed as a whole.
RowFormat format_by_name(std::string_view path);

/// How the name ends, where that is the name of a format, but none that is written; or nothing.
std::string_view unknown_ending(std::string_view path);

/// Without .gz or .zst at its end.
std::string_view plain_name(std::string_view path);

std::unique_ptr<RowWriter> row_writer(const RowFormat& format, TextSink sink,
                                      io::ParallelFor parallel);

}  // namespace grappa::query
