// Asserts of core numbers that every one is neither too large nor too small:
//
// 1. A vertex of core number k has at least k neighbors whose core number is k or more. So all
//    vertices of k or more are a set as a k-core is, and no number is too large.
// 2. The vertices can be removed one after the other, in ascending order of their core numbers,
//    each when it has no more neighbors left than its number says. The first to go of a k-core has
//    k left at least, so its number and those after it are k or more, and no number is too small.
#include "grappa/graph/algorithms/core_numbers/core_numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "grappa/graph/structure/collect.hpp"
#include "grappa/graph/structure/internal/serial_graph.hpp"

namespace grappa::graph {
namespace {

/// Property 2: the first vertex, by core number, that cannot be removed; kNoVertex if all can.
VertexId stuck_vertex(const SerialGraph& graph, std::span<const CoreNumber> core) {
  const auto n = static_cast<std::size_t>(graph.vertex_count());
  std::vector<std::size_t> left(n);  // neighbors
  for (std::size_t v = 0; v < n; ++v)
    left[v] = graph.neighbors(static_cast<std::int64_t>(v)).size();
  std::vector<VertexId> order(n);
  std::iota(order.begin(), order.end(), VertexId{0});
  std::ranges::sort(order, {}, [core](VertexId v) { return std::pair(core[v], v); });
  std::vector<bool> removed(n);
  std::vector<VertexId> removable;
  const auto remove_if_possible = [&](VertexId v) {
    if (removed[v] || left[v] > core[v]) return;
    removed[v] = true;
    removable.push_back(v);
  };
  for (auto first = order.begin(); first != order.end();) {
    const CoreNumber k = core[*first];
    const auto last =
        std::find_if(first, order.end(), [core, k](VertexId v) { return core[v] != k; });
    std::for_each(first, last, remove_if_possible);
    while (!removable.empty()) {
      const VertexId v = removable.back();
      removable.pop_back();
      for (const VertexId w : graph.neighbors(v)) {
        --left[w];
        if (core[w] == k) remove_if_possible(w);
      }
    }
    const auto stuck = std::find_if(first, last, [&removed](VertexId v) { return !removed[v]; });
    if (stuck != last) return *stuck;
    first = last;
  }
  return kNoVertex;
}

}  // namespace

Verification verify_core_numbers(const SerialGraph& graph, std::span<const CoreNumber> core) {
  CoreNumber greatest = 0;
  for (std::size_t i = 0; i < core.size(); ++i) {
    const auto v = static_cast<VertexId>(i);
    const auto inside =
        std::ranges::count_if(graph.neighbors(v), [&](VertexId w) { return core[w] >= core[v]; });
    if (static_cast<CoreNumber>(inside) < core[v])
      return Verification::failed(
          "kcore: vertex {} has core number {}, but only {} neighbors of so much or more", v,
          core[v], inside);
    greatest = std::max(greatest, core[v]);
  }
  if (const VertexId v = stuck_vertex(graph, core); v != kNoVertex)
    return Verification::failed(
        "kcore: vertex {} has core number {}, but cannot be removed with so few neighbors left", v,
        core[v]);
  return {.failure = {},
          .checked = fmt::format("{} core numbers up to {}, none too large and none too small",
                                 core.size(), greatest)};
}

Verification verify(const Graph& graph, const CoreNumbersResult& result) {
  return verify_core_numbers(SerialGraph::of(graph), collect(*result.core, graph));
}

}  // namespace grappa::graph
