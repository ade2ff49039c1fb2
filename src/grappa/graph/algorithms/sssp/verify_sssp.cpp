// Asserts of shortest paths that every distance is the one that Dijkstra's algorithm finds, to the
// last bit. (That no edge is an improvement and that every vertex has an edge which its distance
// comes from would not do: vertices on a cycle of edges that weigh nothing could vouch for each
// other.)
#include "grappa/graph/algorithms/sssp/sssp.hpp"

#include <fmt/format.h>

#include <functional>
#include <limits>
#include <queue>
#include <utility>
#include <vector>

#include "grappa/graph/structure/collect.hpp"
#include "grappa/graph/structure/internal/serial_graph.hpp"

namespace grappa::graph {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

std::vector<double> dijkstra(const SerialGraph& graph, VertexId source) {
  std::vector<double> distance(static_cast<std::size_t>(graph.vertex_count()), kInfinite);
  using Entry = std::pair<double, VertexId>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  distance[source] = 0;
  queue.push({0, source});
  while (!queue.empty()) {
    const auto [so_far, u] = queue.top();
    queue.pop();
    if (so_far > distance[u]) continue;
    const std::span<const VertexId> row = graph.neighbors(u);
    for (std::size_t i = 0; i < row.size(); ++i) {
      const double d = so_far + graph.weight(u, i);
      if (d >= distance[row[i]]) continue;
      distance[row[i]] = d;
      queue.push({d, row[i]});
    }
  }
  return distance;
}

}  // namespace

Verification verify_sssp(const SerialGraph& graph, VertexId source,
                         std::span<const double> distance) {
  const std::vector<double> expected = dijkstra(graph, source);
  std::int64_t reached = 0;
  for (std::size_t v = 0; v < expected.size(); ++v) {
    if (distance[v] != expected[v])
      return Verification::failed("sssp: vertex {} has distance {}, but {} is the shortest", v,
                                  distance[v], expected[v]);
    reached += expected[v] != kInfinite;
  }
  return {.failure = {},
          .checked = fmt::format("{} distances, as Dijkstra's algorithm finds them", reached)};
}

Verification verify(const Graph& graph, VertexId source, const SsspResult& result) {
  return verify_sssp(SerialGraph::of(graph), graph.given(source), collect(*result.distance, graph));
}

}  // namespace grappa::graph
