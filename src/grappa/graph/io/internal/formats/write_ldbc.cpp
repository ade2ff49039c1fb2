// LDBC Graphalytics: the vertices in one file, the edges in another.

#include <fmt/format.h>

#include <string>

#include "grappa/base/error.hpp"
#include "grappa/graph/io/internal/formats/writers.hpp"

namespace grappa::graph::io {

std::string write_ldbc(const EdgeList& list, OutputFile& vertices, OutputFile& edges,
                       const ParallelFor& parallel) {
  if (!list.names.is_integer()) {
    throw UsageError(
        fmt::format("{}: LDBC files name vertices by integers, these are strings", edges.path()));
  }
  write_lines(vertices, list.vertex_count, parallel, [&](std::string& buffer, std::int64_t id) {
    list.names.append(buffer, static_cast<VertexId>(id));
    buffer += '\n';
  });
  const bool weighted = !list.weights.empty();
  write_edge_lines(edges, list, ' ', weighted, parallel, [&](std::string& buffer, Edge edge) {
    list.names.append(buffer, edge.source);
    buffer += ' ';
    list.names.append(buffer, edge.target);
  });
  return {};
}

}  // namespace grappa::graph::io
