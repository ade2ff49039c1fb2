// Truss numbers are what the serial algorithm finds: one edge after the other is removed, always
// one in the fewest triangles (Wang and Cheng's Algorithm 2, with the edges in buckets). Asserts
// that
//
// 1. each vertex has the greatest truss number of its edges, 0 without;
// 2. each truss number has as many edges as the result says.
#include "grappa/graph/algorithms/truss_numbers/truss_numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "grappa/graph/structure/collect.hpp"
#include "grappa/graph/structure/internal/serial_graph.hpp"

namespace grappa::graph {
namespace {

/// The simple graph, with a number for each edge.
class NumberedEdges {
 public:
  struct Arc {
    VertexId target;
    std::size_t edge;
  };
  using Ends = std::pair<VertexId, VertexId>;

  explicit NumberedEdges(const SerialGraph& graph)
      : rows_(static_cast<std::size_t>(graph.vertex_count())) {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const auto v = static_cast<VertexId>(i);
      VertexId last = v;
      for (const VertexId w : graph.neighbors(v)) {
        if (w < v && w != last) {
          rows_[v].push_back({w, ends_.size()});
          rows_[w].push_back({v, ends_.size()});
          ends_.emplace_back(v, w);
        }
        last = w;
      }
    }
  }

  const std::vector<Ends>& ends() const { return ends_; }

  /// use(edge, edge) with the other two edges of each triangle of an edge.
  template <class Use>
  void for_each_triangle(std::size_t edge, Use use) const {
    const auto& [v, w] = ends_[edge];
    const auto& [few, many] = std::minmax(
        rows_[v], rows_[w], [](const auto& a, const auto& b) { return a.size() < b.size(); });
    for (const Arc& arc : few) {
      const auto other = std::ranges::lower_bound(many, arc.target, {}, &Arc::target);
      if (other != many.end() && other->target == arc.target) use(arc.edge, other->edge);
    }
  }

 private:
  std::vector<std::vector<Arc>> rows_;  // ascending: all below a vertex come before all above it
  std::vector<Ends> ends_;
};

/// Of each edge.
std::vector<TrussNumber> serial_truss_numbers(const NumberedEdges& graph) {
  const std::size_t edges = graph.ends().size();
  std::vector<TrussNumber> triangles(edges);
  std::vector<std::vector<std::size_t>> buckets(1);  // by triangles left; or by more, earlier
  const auto put = [&](std::size_t edge) {
    if (triangles[edge] >= buckets.size()) buckets.resize(triangles[edge] + 1);
    buckets[triangles[edge]].push_back(edge);
  };
  for (std::size_t edge = 0; edge < edges; ++edge) {
    graph.for_each_triangle(edge, [&](std::size_t, std::size_t) { ++triangles[edge]; });
    put(edge);
  }
  std::vector<TrussNumber> truss(edges);  // 0: not removed yet
  for (std::size_t least = 0; least < buckets.size(); ++least) {
    while (!buckets[least].empty()) {
      const std::size_t edge = buckets[least].back();
      buckets[least].pop_back();
      if (truss[edge] != 0) continue;
      truss[edge] = static_cast<TrussNumber>(least) + 2;
      graph.for_each_triangle(edge, [&](std::size_t a, std::size_t b) {
        if (truss[a] != 0 || truss[b] != 0) return;
        for (const std::size_t other : {a, b}) {
          if (triangles[other] == least) continue;
          --triangles[other];
          put(other);
        }
      });
    }
  }
  return truss;
}

}  // namespace

Verification verify_truss_numbers(const SerialGraph& graph, std::span<const TrussNumber> truss,
                                  std::span<const TrussEdges> edges) {
  const NumberedEdges numbered(graph);
  const std::vector<TrussNumber> of_edges = serial_truss_numbers(numbered);
  std::vector<TrussNumber> of_vertices(truss.size());
  std::map<TrussNumber, std::int64_t> counts;
  for (std::size_t edge = 0; edge < of_edges.size(); ++edge) {
    const TrussNumber k = of_edges[edge];
    ++counts[k];
    for (const VertexId v : {numbered.ends()[edge].first, numbered.ends()[edge].second})
      of_vertices[v] = std::max(of_vertices[v], k);
  }
  const auto [wrong, right] = std::ranges::mismatch(truss, of_vertices);
  if (wrong != truss.end())
    return Verification::failed("ktruss: vertex {} has truss number {}, but it is {}",
                                wrong - truss.begin(), *wrong, *right);
  std::vector<TrussEdges> expected;
  for (const auto& [k, count] : counts) expected.push_back({.truss = k, .edges = count});
  const auto [other, counted] = std::ranges::mismatch(edges, expected);
  if (other != edges.end() || counted != expected.end()) {
    const bool is_there = other != edges.end();
    return Verification::failed("ktruss: the counts of edges by truss number are wrong from {} on",
                                is_there ? other->truss : counted->truss);
  }
  return {.failure = {},
          .checked = fmt::format("truss numbers of {} vertices and {} edges, up to {}, found "
                                 "once more edge by edge",
                                 truss.size(), of_edges.size(),
                                 expected.empty() ? 0 : expected.back().truss)};
}

Verification verify(const Graph& graph, const TrussNumbersResult& result) {
  return verify_truss_numbers(SerialGraph::of(graph), collect(*result.truss, graph), result.edges);
}

}  // namespace grappa::graph
