// Asserts of a minimum spanning forest:
//
// 1. Its edges are edges of the graph, with their weights.
// 2. It has no cycle.
// 3. It joins the ends of every edge of the graph, so that it spans each component.
// 4. No edge of the graph is lighter, ties by the ends included, than the heaviest of the path that
//    joins its ends in the forest (the cycle property, which the minimum forest alone has).
// 5. The sum of the weights is the one claimed.
//
// The edges are joined in the order of their weights, and sets of vertices as trees that are never
// compressed: where the paths of two vertices meet in them, the edge that made them meet is the
// heaviest between the two. Trees are as deep as a logarithm, since the smaller one is hung below
// the larger. Memory is in proportion to the vertices.
#include "grappa/graph/algorithms/spanning_forest/spanning_forest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "grappa/graph/structure/collect.hpp"
#include "grappa/graph/structure/internal/serial_graph.hpp"

namespace grappa::graph {
namespace {

constexpr std::size_t kNoEdge = static_cast<std::size_t>(-1);

class JoinTree {
 public:
  explicit JoinTree(std::size_t n) : up_(n), size_(n, 1), edge_(n, kNoEdge) {
    std::iota(up_.begin(), up_.end(), VertexId{0});
  }

  /// False if they are joined already. `edge` ascends from call to call.
  bool join(VertexId a, VertexId b, std::size_t edge) {
    while (up_[a] != a) a = up_[a];
    while (up_[b] != b) b = up_[b];
    if (a == b) return false;
    if (size_[a] > size_[b]) std::swap(a, b);
    up_[a] = b;
    size_[b] += size_[a];
    edge_[a] = edge;
    return true;
  }

  /// The last of the edges on the path from a to b; kNoEdge if there is none.
  std::size_t last_between(VertexId a, VertexId b) const {
    std::size_t last = kNoEdge;
    // Edges ascend on the way up, so the lower of the two is the one with the smaller.
    while (a != b) {
      if (edge_[a] > edge_[b]) std::swap(a, b);
      if (edge_[a] == kNoEdge) return kNoEdge;
      last = edge_[a];
      a = up_[a];
    }
    return last;
  }

 private:
  std::vector<VertexId> up_;
  std::vector<std::size_t> size_;
  std::vector<std::size_t> edge_;  // that joined a vertex to the one above it
};

bool is_edge(const SerialGraph& graph, const ForestEdge& edge) {
  const std::int64_t n = graph.vertex_count();
  if (edge.u >= n || edge.v >= n) return false;
  const std::span<const VertexId> row = graph.neighbors(edge.u);
  const auto [first, last] = std::ranges::equal_range(row, edge.v);
  for (auto at = first; at != last; ++at) {
    if (graph.weight(edge.u, static_cast<std::size_t>(at - row.begin())) == edge.weight)
      return true;
  }
  return false;
}

}  // namespace

Verification verify_spanning_forest(const SerialGraph& graph, std::span<const ForestEdge> edges,
                                    double weight) {
  std::vector<ForestEdge> forest(edges.begin(), edges.end());
  std::ranges::sort(forest, &ForestEdge::is_lighter_than);
  JoinTree tree(static_cast<std::size_t>(graph.vertex_count()));
  double sum = 0;
  double magnitude = 0;
  for (std::size_t i = 0; i < forest.size(); ++i) {
    const ForestEdge& edge = forest[i];
    if (!is_edge(graph, edge))
      return Verification::failed("msf: the graph has no edge between {} and {} of weight {}",
                                  edge.u, edge.v, edge.weight);
    if (!tree.join(edge.u, edge.v, i))
      return Verification::failed("msf: the edge between {} and {} closes a cycle", edge.u, edge.v);
    sum += edge.weight;
    magnitude += std::abs(edge.weight);
  }
  for (std::int64_t i = 0; i < graph.vertex_count(); ++i) {
    const auto u = static_cast<VertexId>(i);
    const std::span<const VertexId> row = graph.neighbors(i);
    for (std::size_t k = 0; k < row.size(); ++k) {
      const VertexId v = row[k];
      if (v <= u) continue;
      const std::size_t heaviest = tree.last_between(u, v);
      if (heaviest == kNoEdge)
        return Verification::failed("msf: the forest does not join {} and {}, but an edge does", u,
                                    v);
      if (ForestEdge{graph.weight(i, k), u, v}.is_lighter_than(forest[heaviest]))
        return Verification::failed(
            "msf: the edge between {} and {} should be in the forest, and not that between {} and "
            "{}",
            u, v, forest[heaviest].u, forest[heaviest].v);
    }
  }
  if (!(std::abs(sum - weight) <= 1e-9 * magnitude))
    return Verification::failed("msf: the weights sum up to {}, not to {}", sum, weight);
  return {.failure = {},
          .checked = fmt::format(
              "{} edges span the components, and none of the others is lighter than its path",
              forest.size())};
}

Verification verify(const Graph& graph, const SpanningForestResult& result) {
  const std::vector<ForestEdge> edges = forest_as_numbered(graph, result);
  if (std::ssize(edges) != result.edges || result.edges + result.trees != graph.vertex_count())
    return Verification::failed("msf: {} edges and {} trees are claimed, but there are {} edges",
                                result.edges, result.trees, edges.size());
  return verify_spanning_forest(SerialGraph::as_numbered(graph), edges, result.weight);
}

}  // namespace grappa::graph
