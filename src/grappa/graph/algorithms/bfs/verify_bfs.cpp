// Asserts of a breadth-first search, following the validation rules of Graph500 [1]:
//
// 1. The source is its own parent and has depth 0.
// 2. A vertex has a parent if and only if it has a depth, and both are in range.
// 3. The parent of any other reached vertex is reached and has a depth one smaller. So every chain
//    of parents ends at the source: the parents form a tree, without cycles.
// 4. Vertex and parent are joined by an edge of the graph, from the parent.
// 5. No edge skips a level: the target of an edge whose source is reached is reached, too, with a
//    depth at most one greater. So all that can be reached is, and no path is shorter than the
//    depths say. (In an undirected graph this holds in both directions: depths differ by at most
//    one, and an edge has both ends in the tree or none.)
//
// [1] Graph500 benchmark specification 2.0, section "Validation of BFS".
#include "grappa/graph/algorithms/bfs/bfs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "grappa/graph/structure/collect.hpp"
#include "grappa/graph/structure/internal/serial_graph.hpp"

namespace grappa::graph {

Verification verify_bfs(const SerialGraph& graph, VertexId source, std::span<const VertexId> parent,
                        std::span<const std::int32_t> depth) {
  const std::int64_t n = graph.vertex_count();
  if (parent[source] != source || depth[source] != 0)
    return Verification::failed("bfs: the source {} has parent {} and depth {}", source,
                                parent[source], depth[source]);
  std::int64_t reached = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const auto v = static_cast<VertexId>(i);
    const VertexId p = parent[v];
    if ((p == kNoVertex) != (depth[v] == kUnreached))
      return Verification::failed("bfs: vertex {} has parent {} but depth {}", v, p, depth[v]);
    if (p == kNoVertex) continue;
    ++reached;
    if (v == source) continue;
    if (p >= n)
      return Verification::failed("bfs: vertex {} has the parent {}, which is no vertex", v, p);
    if (depth[v] < 1 || depth[p] != depth[v] - 1)
      return Verification::failed("bfs: vertex {} has depth {}, but its parent {} has {}", v,
                                  depth[v], p, depth[p]);
    if (!std::ranges::binary_search(graph.neighbors(p), v))
      return Verification::failed("bfs: there is no edge from {} to {}, whose parent it is", p, v);
  }
  for (std::int64_t i = 0; i < n; ++i) {
    const auto u = static_cast<VertexId>(i);
    if (depth[u] == kUnreached) continue;
    for (const VertexId v : graph.neighbors(u)) {
      if (depth[v] == kUnreached)
        return Verification::failed(
            "bfs: vertex {} is not reached, though there is an edge from {}", v, u);
      if (depth[v] > depth[u] + 1)
        return Verification::failed("bfs: the edge from {} to {} goes from depth {} to {}", u, v,
                                    depth[u], depth[v]);
    }
  }
  return {
      .failure = {},
      .checked = fmt::format("a tree of {} vertices, by edges of the graph; no edge of {} skips "
                             "a level or leaves it",
                             reached, graph.arc_count())};
}

Verification verify(const Graph& graph, VertexId source, const BfsResult& result) {
  return verify_bfs(SerialGraph::of(graph), graph.given(source),
                    collect_vertices(*result.parent, graph), collect(*result.depth, graph));
}

}  // namespace grappa::graph
