// Asserts of label propagation that every label is what as many rounds give when they are run
// serially, along out-edges: each edge tells either end the label of the other (of an undirected
// graph each stored arc tells its target that of its source), and a vertex takes the most frequent
// of what it was told, in the order of the labels.
#include "grappa/graph/algorithms/label_propagation/label_propagation.hpp"

#include <fmt/format.h>

#include <map>
#include <numeric>

#include "grappa/graph/structure/collect.hpp"
#include "grappa/graph/structure/internal/serial_graph.hpp"

namespace grappa::graph {

std::vector<VertexId> serial_label_propagation(const SerialGraph& graph, std::int64_t iterations) {
  const auto n = static_cast<std::size_t>(graph.vertex_count());
  std::vector<VertexId> label(n);
  std::iota(label.begin(), label.end(), VertexId{0});
  for (std::int64_t round = 0; round < iterations; ++round) {
    std::vector<std::map<VertexId, std::int64_t>> told(n);
    for (std::size_t u = 0; u < n; ++u) {
      for (const VertexId v : graph.neighbors(static_cast<std::int64_t>(u))) {
        ++told[v][label[u]];
        if (graph.is_directed()) ++told[u][label[v]];
      }
    }
    std::vector<VertexId> next = label;
    for (std::size_t v = 0; v < n; ++v) {
      std::int64_t most = 0;
      for (const auto& [candidate, count] : told[v]) {
        if (count <= most) continue;
        most = count;
        next[v] = candidate;
      }
    }
    if (next == label) break;  // as all rounds after this would be
    label = next;
  }
  return label;
}

Verification verify_label_propagation(const SerialGraph& graph, std::int64_t iterations,
                                      std::span<const VertexId> label) {
  const std::vector<VertexId> right = serial_label_propagation(graph, iterations);
  for (std::size_t v = 0; v < right.size(); ++v) {
    if (label[v] != right[v])
      return Verification::failed("cdlp: vertex {} has the label {}, it is {}", v, label[v],
                                  right[v]);
  }
  return {.failure = {},
          .checked = fmt::format("{} labels are those of {} serial rounds along out-edges",
                                 right.size(), iterations)};
}

Verification verify(const Graph& graph, std::int64_t iterations,
                    const LabelPropagationResult& result) {
  return verify_label_propagation(SerialGraph::of(graph), iterations,
                                  collect_vertices(*result.label, graph));
}

}  // namespace grappa::graph
