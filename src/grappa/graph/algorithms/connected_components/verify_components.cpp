// Asserts of connected components:
//
// 1. A label is a vertex that has itself as label, and is not greater than the vertices it labels.
//    So it is the smallest of them.
// 2. The ends of every edge have the same label: no component has two labels.
// 3. There are as many labels as a union-find over the edges leaves sets. With 2, no label has two
//    components.
#include "grappa/graph/algorithms/connected_components/connected_components.hpp"

#include <fmt/format.h>

#include <numeric>
#include <utility>
#include <vector>

#include "grappa/graph/structure/collect.hpp"
#include "grappa/graph/structure/internal/serial_graph.hpp"

namespace grappa::graph {
namespace {

/// Sets joined by edges, with path halving.
class UnionFind {
 public:
  explicit UnionFind(std::size_t n) : up_(n), sets_(static_cast<std::int64_t>(n)) {
    std::iota(up_.begin(), up_.end(), VertexId{0});
  }
  void join(VertexId a, VertexId b) {
    a = root(a);
    b = root(b);
    if (a == b) return;
    up_[a] = b;
    --sets_;
  }
  std::int64_t sets() const { return sets_; }

 private:
  VertexId root(VertexId v) {
    while (up_[v] != v) v = up_[v] = up_[up_[v]];
    return v;
  }
  std::vector<VertexId> up_;
  std::int64_t sets_;
};

}  // namespace

Verification verify_components(const SerialGraph& graph, std::span<const VertexId> label) {
  UnionFind sets(label.size());
  std::int64_t labels = 0;
  for (std::size_t i = 0; i < label.size(); ++i) {
    const auto v = static_cast<VertexId>(i);
    if (label[v] > v)
      return Verification::failed("cc: vertex {} has the greater label {}", v, label[v]);
    if (label[label[v]] != label[v])
      return Verification::failed("cc: {} is a label, but has the label {}", label[v],
                                  label[label[v]]);
    labels += label[v] == v;
    for (const VertexId w : graph.neighbors(v)) {
      if (label[w] != label[v]) {
        return Verification::failed("cc: an edge joins {} with label {} and {} with label {}", v,
                                    label[v], w, label[w]);
      }
      sets.join(v, w);
    }
  }
  if (labels != sets.sets())
    return Verification::failed("cc: there are {} labels for {} components", labels, sets.sets());
  return {.failure = {},
          .checked = fmt::format("{} components, each labelled with its smallest vertex", labels)};
}

Verification verify(const Graph& graph, const ComponentsResult& result) {
  return verify_components(SerialGraph::of(graph), collect_vertices(*result.label, graph));
}

}  // namespace grappa::graph
