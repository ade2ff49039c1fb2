#include "grappa/graph/verify.hpp"

#include "grappa/graph/collect.hpp"
#include "grappa/graph/serial_graph.hpp"
#include "grappa/graph/verify_bfs.hpp"
#include "grappa/graph/verify_components.hpp"
#include "grappa/graph/verify_pagerank.hpp"

namespace grappa::graph {

Verification verify(const Graph& graph, VertexId source, const BfsResult& result) {
  const std::int64_t n = graph.vertex_count();
  return verify_bfs(SerialGraph::of(graph), source, collect(result.parent, n),
                    collect(result.depth, n));
}

Verification verify(const Graph& graph, const PageRankOptions& options,
                    const PageRankResult& result) {
  return verify_pagerank(SerialGraph::of(graph), options,
                         collect(result.rank, graph.vertex_count()), result.iterations,
                         result.change);
}

Verification verify(const Graph& graph, const ComponentsResult& result) {
  return verify_components(SerialGraph::of(graph), collect(result.label, graph.vertex_count()));
}

}  // namespace grappa::graph
