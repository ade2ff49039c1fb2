#pragma once

// Tables from files of any format.
//
//   // on the first core of every locale:
//   const Table table = open_table({.paths = {"lineitem.csv"}}, parallel, exchange);
//
// Of Parquet files that lie on disk as they are nothing is read but which columns they have: the
// table has a file then (table_file.hpp). All others are loaded.
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
#include "grappa/query/io/graph_file.hpp"
#include "grappa/query/io/text_format.hpp"
#include "grappa/query/progress.hpp"
#include "grappa/query/table.hpp"

namespace grappa::query {

enum class TableFormat : std::uint8_t { kDetected, kCsv, kParquet, kJson, kTriples };

struct TableSource {
  std::vector<std::string> paths;  // or patterns of paths
  TableFormat format = TableFormat::kDetected;
  TextOptions text = {};
  std::optional<GraphFile> graph = {};  // it is one, which open_table() does not read

  bool operator==(const TableSource&) const = default;
};

Table open_table(const TableSource& source, const io::ParallelFor& parallel,
                 const Exchange& exchange, Progress* progress = nullptr);

}  // namespace grappa::query
