// DIMACS files: shortest paths (directed arcs with weights) and coloring (undirected edges).
//
//   c comment
//   p sp 4 3           vertices arcs          |   p edge 4 3
//   a 1 2 17           source target weight   |   e 1 2

#include "grappa/graph/io/internal/formats/edge_reader.hpp"
#include "grappa/graph/io/internal/formats/headers.hpp"
#include "grappa/graph/io/internal/formats/readers.hpp"

namespace grappa::graph::io {

EdgeList read_dimacs(LineReader& reader, const ReadOptions& options, const ParallelFor& parallel) {
  const DimacsHeader header = read_dimacs_header(reader);
  const EdgeLineRules rules{.comments = "c",
                            .prefix = header.undirected ? 'e' : 'a',
                            .columns = header.undirected ? 2 : 3,
                            .more_columns = false,
                            .weighted = !header.undirected && options.want_weights,
                            .least_weight = options.least_weight,
                            .max_line_bytes = reader.max_line_bytes()};
  begin_part(reader, options);
  EdgeList list;
  list.vertex_count = header.vertices;
  list.names = VertexNames::range(1, header.vertices);
  const OneBased names{static_cast<std::uint64_t>(header.vertices)};
  list.edges = read_edges(reader, rules, names, options, parallel, list.weights);
  finish_announced(reader, options, static_cast<std::int64_t>(list.edges.size()), header.line,
                   header.lines, header.undirected ? "edge" : "arc");
  list.directed = !header.undirected;
  if (header.undirected && options.directed == true) make_directed(list);
  list.directed = options.directed.value_or(list.directed);
  return list;
}

}  // namespace grappa::graph::io
