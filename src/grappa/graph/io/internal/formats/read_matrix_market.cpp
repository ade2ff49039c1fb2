// Matrix Market coordinate files: an entry in row i and column j is an edge from i to j.
//
//   %%MatrixMarket matrix coordinate real symmetric
//   % comment
//   4 4 3              rows columns entries; rows and columns are the vertices
//   2 1 0.5            symmetric files have the lower triangle only, with the diagonal: each entry
//                      is an undirected edge

#include "grappa/graph/io/internal/formats/edge_reader.hpp"
#include "grappa/graph/io/internal/formats/headers.hpp"
#include "grappa/graph/io/internal/formats/readers.hpp"

namespace grappa::graph::io {

EdgeList read_matrix_market(LineReader& reader, const ReadOptions& options,
                            const ParallelFor& parallel) {
  const MatrixMarketHeader header = read_matrix_market_header(reader);
  const EdgeLineRules rules{.comments = "%",
                            .columns = header.has_values ? 3 : 2,
                            .more_columns = false,
                            .weighted = header.has_values && options.want_weights,
                            .least_weight = options.least_weight,
                            .whole_weights = header.has_integers,
                            .lower_triangle = header.symmetric,
                            .max_line_bytes = reader.max_line_bytes()};
  begin_part(reader, options);
  EdgeList list;
  list.vertex_count = header.vertices;
  list.names = VertexNames::range(1, header.vertices);
  const OneBased names{static_cast<std::uint64_t>(header.vertices)};
  list.edges = read_edges(reader, rules, names, options, parallel, list.weights);
  finish_announced(reader, options, static_cast<std::int64_t>(list.edges.size()), header.line,
                   header.entries, "entry");
  list.directed = !header.symmetric;
  if (header.symmetric && options.directed == true) make_directed(list);
  list.directed = options.directed.value_or(list.directed);
  return list;
}

}  // namespace grappa::graph::io
