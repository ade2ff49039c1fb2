// Asserts of a coloring:
//
// 1. The ends of an edge have different colors, self-loops apart.
// 2. It is greedy: a vertex has neighbors of all colors below its own. So no vertex could have a
//    smaller one, and no color is above the greatest degree.
#include "grappa/graph/algorithms/coloring/coloring.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "grappa/graph/structure/collect.hpp"
#include "grappa/graph/structure/internal/serial_graph.hpp"

namespace grappa::graph {

Verification verify_coloring(const SerialGraph& graph, std::span<const std::uint32_t> color) {
  std::uint32_t colors = 0;
  std::vector<std::uint32_t> around;
  for (std::size_t i = 0; i < color.size(); ++i) {
    const auto v = static_cast<VertexId>(i);
    around.clear();
    for (const VertexId w : graph.neighbors(v)) {
      if (w == v) continue;
      if (color[w] == color[v])
        return Verification::failed("coloring: an edge joins {} and {}, both of color {}", v, w,
                                    color[v]);
      if (color[w] < color[v]) around.push_back(color[w]);
    }
    std::ranges::sort(around);
    around.erase(std::ranges::unique(around).begin(), around.end());
    if (around.size() != color[v])
      return Verification::failed("coloring: vertex {} has color {}, but a smaller one is free", v,
                                  color[v]);
    colors = std::max(colors, color[v] + 1);
  }
  return {.failure = {},
          .checked =
              fmt::format("{} colors, no edge within one, each the smallest that is free", colors)};
}

Verification verify(const Graph& graph, const ColoringResult& result) {
  return verify_coloring(SerialGraph::of(graph), collect(*result.color, graph));
}

}  // namespace grappa::graph
