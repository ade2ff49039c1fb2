#pragma once

// The one way out: an edge list into a file of any of the formats.
//
//   std::string note = save_edge_list(std::move(list), {.path = "web.mtx.gz"}, parallel);
//   if (!note.empty()) internal::log_info("{}", note);     // "vertices are renumbered 1 ... 82168"
//
// The note says what the format cannot hold and what was therefore changed or left out. Names stay
// in .grappa, .txt, .el, .wel, .tsv, .csv and LDBC; the others number the vertices themselves
// (.mtx, METIS and DIMACS from 1, GAP from 0). GAP and our own format (.grappa) order the edges,
// METIS orders and simplifies them. A list that needs_simplify is simplified for every format. LDBC
// writes three files: .v, .e and .properties. Errors: UsageError where the list cannot be written
// in that format (METIS of a directed graph, a weight that is not an integer where the format has
// integers), Error where the disk refuses. No partial file is left behind.

#include <string>
#include <vector>

#include "grappa/graph/io/edge_list.hpp"
#include "grappa/graph/io/format.hpp"
#include "grappa/graph/io/internal/io_names.hpp"
#include "grappa/io/parallel_for.hpp"

namespace grappa::graph {

struct SaveOptions {
  std::string path = {};          // "-": standard output
  Format format = Format::kAuto;  // told from the path
};

/// The names that save_edge_list() writes to. UsageError where the path cannot lead to them.
std::vector<std::string> files_to_save(const SaveOptions& options);

std::string save_edge_list(EdgeList list, const SaveOptions& options, const ParallelFor& parallel);

}  // namespace grappa::graph
