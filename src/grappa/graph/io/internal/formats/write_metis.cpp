// METIS: a header, then the neighbors of each vertex in a line. Undirected and simple.

#include <fmt/format.h>

#include <string>

#include "grappa/base/error.hpp"
#include "grappa/graph/io/internal/formats/adjacency.hpp"
#include "grappa/graph/io/internal/formats/writers.hpp"

namespace grappa::graph::io {

std::string write_metis(const EdgeList& list, OutputFile& out, const ParallelFor& parallel) {
  if (list.directed) {
    throw UsageError(
        fmt::format("{}: METIS files hold undirected graphs; give --undirected", out.path()));
  }
  constexpr double kMaxWeight = 2147483647;
  check_integer_weights(list, 1, kMaxWeight, out.path());
  EdgeList simple = list;
  simplify(simple, parallel);
  const std::size_t removed = list.edges.size() - simple.edges.size();

  const bool weighted = !simple.weights.empty();
  const Adjacency adjacency = build_adjacency(simple, ArcsOf::kBothEnds, parallel);
  out.write(
      fmt::format("{} {}{}\n", simple.vertex_count, simple.edges.size(), weighted ? " 1" : ""));
  write_lines(out, simple.vertex_count, parallel, [&](std::string& buffer, std::int64_t vertex) {
    const auto neighbors = adjacency.neighbors_of(vertex);
    const auto weights = adjacency.weights_of(vertex);
    for (std::size_t i = 0; i < neighbors.size(); ++i) {
      if (i > 0) buffer += ' ';
      append_integer(buffer, static_cast<std::uint64_t>(neighbors[i]) + 1);
      if (!weighted) continue;
      buffer += ' ';
      append_weight(buffer, weights[i]);
    }
    buffer += '\n';
  });
  return join_notes(note_renumbered(list, 1),
                    removed == 0
                        ? std::string()
                        : fmt::format("{} self-loops and duplicates are left out", removed));
}

}  // namespace grappa::graph::io
