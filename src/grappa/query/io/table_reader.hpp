#pragma once

// Tables from files of any format.
//
//   // on the first core of every locale:
//   const Table table = load_table({.paths = {"lineitem.parquet"}}, parallel, exchange);
//
// Where the format is not given, what begins as Parquet does, or has a name that says so (.parquet,
// .pq), is that; files with other names (.jsonl, .ndjson, .json; .nt) are JSON objects or triples,
// one a line (line_fields.hpp); everything else is CSV. Errors, and what else is to be known, are
// those of the readers.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "grappa/io/parallel_for.hpp"
#include "grappa/parallel/exchange.hpp"
#include "grappa/query/io/csv_format.hpp"
#include "grappa/query/io/graph_file.hpp"
#include "grappa/query/progress.hpp"
#include "grappa/query/table.hpp"

namespace grappa::query {

enum class TableFormat : std::uint8_t { kDetected, kCsv, kParquet, kJson, kTriples };

struct TableSource {
  std::vector<std::string> paths;  // or patterns of paths
  TableFormat format = TableFormat::kDetected;
  CsvOptions csv = {};
  std::optional<GraphFile> graph = {};  // it is one, which load_table() does not read

  bool operator==(const TableSource&) const = default;
};

Table load_table(const TableSource& source, const io::ParallelFor& parallel,
                 const Exchange& exchange, Progress* progress = nullptr);

}  // namespace grappa::query
