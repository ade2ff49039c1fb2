// Asserts of betweenness centrality that every score is, within 1e-9 relative, what Brandes'
// algorithm gives when it is run serially, as the paper [1] has it: one search along out-edges for
// each source, and the dependencies by edge, in the opposite order of the search.
//
// There may be more shortest paths than a double can hold, so they are counted as fractions in
// [0.5, 1) and powers of two.
//
// [1] U. Brandes, "A faster algorithm for betweenness centrality", J. Math. Sociology 25(2), 2001.
#include "grappa/graph/algorithms/betweenness/betweenness.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "grappa/graph/structure/collect.hpp"
#include "grappa/graph/structure/internal/serial_graph.hpp"

namespace grappa::graph {
namespace {

constexpr double kRounding = 1e-9;
// A double has no smaller quotients of path counts than 2^-1074; one that has is 0, and its
// dependency with it. Scores below are all taken as equal.
constexpr double kMin = 1e-280;

/// fraction * 2^power
struct Scaled {
  double fraction = 0;
  std::int64_t power = 0;
};

Scaled sum(Scaled a, Scaled b) {
  if (a.fraction == 0) return b;
  if (a.power < b.power) std::swap(a, b);
  const std::int64_t apart = std::min<std::int64_t>(a.power - b.power, 2000);
  int carry = 0;
  const double fraction =
      std::frexp(a.fraction + std::ldexp(b.fraction, -static_cast<int>(apart)), &carry);
  return {fraction, a.power + carry};
}

double quotient(Scaled a, Scaled b) {
  const std::int64_t power = std::max<std::int64_t>(a.power - b.power, -2000);
  return std::ldexp(a.fraction / b.fraction, static_cast<int>(power));
}

}  // namespace

std::vector<double> serial_betweenness(const SerialGraph& graph,
                                       std::span<const VertexId> sources) {
  const auto n = static_cast<std::size_t>(graph.vertex_count());
  std::vector<double> score(n);
  std::vector<std::int64_t> depth(n, -1);
  std::vector<Scaled> paths(n);
  std::vector<double> dependency(n);
  std::vector<VertexId> order;
  for (const VertexId source : sources) {
    order.assign(1, source);
    depth[source] = 0;
    paths[source] = {0.5, 1};
    for (std::size_t i = 0; i < order.size(); ++i) {
      const VertexId u = order[i];
      for (const VertexId v : graph.neighbors(u)) {
        if (depth[v] < 0) {
          depth[v] = depth[u] + 1;
          order.push_back(v);
        }
        if (depth[v] == depth[u] + 1) paths[v] = sum(paths[v], paths[u]);
      }
    }
    for (std::size_t i = order.size(); i-- > 0;) {
      const VertexId u = order[i];
      for (const VertexId v : graph.neighbors(u)) {
        if (depth[v] == depth[u] + 1)
          dependency[u] += quotient(paths[u], paths[v]) * (1 + dependency[v]);
      }
      if (u != source) score[u] += graph.is_directed() ? dependency[u] : dependency[u] / 2;
    }
    for (const VertexId v : order) {
      depth[v] = -1;
      paths[v] = {};
      dependency[v] = 0;
    }
  }
  return score;
}

Verification verify_betweenness(const SerialGraph& graph, std::span<const VertexId> sources,
                                std::span<const double> score) {
  const std::vector<double> right = serial_betweenness(graph, sources);
  for (std::size_t v = 0; v < right.size(); ++v) {
    // Written so that NaN fails.
    if (!(std::abs(score[v] - right[v]) <= kRounding * right[v] + kMin))
      return Verification::failed("bc: vertex {} has score {:.17g}, it is {:.17g}", v, score[v],
                                  right[v]);
  }
  return {
      .failure = {},
      .checked = fmt::format(
          "{} scores are those of a serial run from the same {}", right.size(),
          sources.size() == 1 ? std::string("source") : fmt::format("{} sources", sources.size()))};
}

Verification verify(const Graph& graph, std::span<const VertexId> sources,
                    const BetweennessResult& result) {
  std::vector<VertexId> given;
  for (const VertexId source : sources) given.push_back(graph.given(source));
  return verify_betweenness(SerialGraph::of(graph), given, collect(*result.score, graph));
}

}  // namespace grappa::graph
