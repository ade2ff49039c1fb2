// Asserts of a maximal independent set that no edge joins two of its vertices, self-loops apart,
// and that every other vertex has a neighbor in it.
#include "grappa/graph/algorithms/independent_set/independent_set.hpp"

#include <fmt/format.h>

#include "grappa/graph/structure/collect.hpp"
#include "grappa/graph/structure/internal/serial_graph.hpp"

namespace grappa::graph {

Verification verify_independent_set(const SerialGraph& graph,
                                    std::span<const std::uint8_t> in_set) {
  std::int64_t members = 0;
  for (std::size_t i = 0; i < in_set.size(); ++i) {
    const auto v = static_cast<VertexId>(i);
    if (in_set[v] > 1)
      return Verification::failed("mis: vertex {} is neither in nor out, but {}", v, in_set[v]);
    bool has_member = false;
    for (const VertexId w : graph.neighbors(v)) {
      if (w == v || in_set[w] != 1) continue;
      if (in_set[v] == 1)
        return Verification::failed("mis: an edge joins {} and {}, both in the set", v, w);
      has_member = true;
    }
    if (in_set[v] == 0 && !has_member)
      return Verification::failed("mis: vertex {} could be in the set", v);
    members += in_set[v];
  }
  return {.failure = {},
          .checked = fmt::format("{} vertices, no two joined, and none can be added", members)};
}

Verification verify(const Graph& graph, const IndependentSetResult& result) {
  return verify_independent_set(SerialGraph::of(graph), collect(*result.in_set, graph));
}

}  // namespace grappa::graph
