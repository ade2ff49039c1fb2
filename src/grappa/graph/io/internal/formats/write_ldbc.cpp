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
  write_lines(edges, static_cast<std::int64_t>(list.edges.size()), parallel,
              [&](std::string& buffer, std::int64_t i) {
                const auto index = static_cast<std::size_t>(i);
                list.names.append(buffer, list.edges[index].source);
                buffer += ' ';
                list.names.append(buffer, list.edges[index].target);
                if (!list.weights.empty()) {
                  buffer += ' ';
                  append_weight(buffer, list.weights[index]);
                }
                buffer += '\n';
              });
  return {};
}

}  // namespace grappa::graph::io
