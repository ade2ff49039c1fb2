// Matrix Market and DIMACS: behind a header, an edge a line, the vertices being 1 ... n.
//
//   %%MatrixMarket matrix coordinate real symmetric
//   % comment
//   4 4 3              rows columns entries; rows and columns are the vertices
//   2 1 0.5            an edge from row to column; symmetric files have the lower triangle only,
//                      with the diagonal: each entry is an undirected edge
//
//   c comment
//   p sp 4 3           vertices arcs          |   p edge 4 3
//   a 1 2 17           source target weight   |   e 1 2

#include "grappa/graph/io/internal/formats/edge_reader.hpp"
#include "grappa/graph/io/internal/formats/headers.hpp"
#include "grappa/graph/io/internal/formats/readers.hpp"

namespace grappa::graph::io {
namespace {

// What is behind the header. `noun`: what a line is called.
template <class Header>
EdgeList read_behind(const Header& header, const char* noun, const EdgeLineRules& rules,
                     LineReader& reader, const ReadOptions& options, const ParallelFor& parallel) {
  begin_part(reader, options);
  EdgeList list;
  list.vertex_count = header.vertices;
  list.names = VertexNames::range(1, header.vertices);
  const OneBased names{static_cast<std::uint64_t>(header.vertices)};
  list.edges = read_edges(reader, rules, names, options, parallel, list.weights);
  finish_announced(reader, options, std::ssize(list.edges), header.line, header.edges, noun);
  list.directed = !header.undirected;
  if (header.undirected && options.directed == true) make_directed(list);
  list.directed = options.directed.value_or(list.directed);
  return list;
}

}  // namespace

EdgeList read_matrix_market(LineReader& reader, const ReadOptions& options,
                            const ParallelFor& parallel) {
  const MatrixMarketHeader header = read_matrix_market_header(reader);
  const EdgeLineRules rules{.comments = "%",
                            .columns = header.has_values ? 3 : 2,
                            .more_columns = false,
                            .weighted = header.has_values && options.want_weights,
                            .least_weight = options.least_weight,
                            .whole_weights = header.has_integers,
                            .lower_triangle = header.undirected,
                            .max_line_bytes = reader.max_line_bytes()};
  return read_behind(header, "entry", rules, reader, options, parallel);
}

EdgeList read_dimacs(LineReader& reader, const ReadOptions& options, const ParallelFor& parallel) {
  const DimacsHeader header = read_dimacs_header(reader);
  const EdgeLineRules rules{.comments = "c",
                            .prefix = header.undirected ? 'e' : 'a',
                            .columns = header.undirected ? 2 : 3,
                            .more_columns = false,
                            .weighted = !header.undirected && options.want_weights,
                            .least_weight = options.least_weight,
                            .max_line_bytes = reader.max_line_bytes()};
  return read_behind(header, header.undirected ? "edge" : "arc", rules, reader, options, parallel);
}

}  // namespace grappa::graph::io
