#include "bench/graph500_validator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <type_traits>

#include "grappa/graph/exec/locales.hpp"
#include "grappa/graph/structure/internal/bitmap.hpp"
#include "grappa/graph/structure/internal/locale_parts.hpp"
#include "grappa/grappa.hpp"

namespace grappa::bench {

using graph::Edge;
using graph::Graph;
using graph::kNoVertex;
using graph::VertexId;

namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

}  // namespace

Graph500Validator Graph500Validator::create(std::int64_t vertices) {
  Graph500Validator v;
  v.parent_ = Replica<VertexId>::create_for_overwrite(vertices);
  v.distance_ = Replica<double>::create_for_overwrite(vertices);
  v.joined_ = Replica<std::uint64_t>::create(graph::bitmap_words(vertices));
  v.findings_ = Replica<Findings>::create(1);
  return v;
}

void Graph500Validator::destroy() {
  parent_.destroy();
  distance_.destroy();
  joined_.destroy();
  findings_.destroy();
}

void Graph500Validator::take(const Graph& graph, const GlobalArray<VertexId>& parent,
                             const GlobalArray<std::int32_t>& depth) const {
  take_result(graph, parent, depth);
}

void Graph500Validator::take(const Graph& graph, const GlobalArray<VertexId>& parent,
                             const GlobalArray<double>& distance) const {
  take_result(graph, parent, distance);
}

template <class Distance>
void Graph500Validator::take_result(const Graph& graph, const GlobalArray<VertexId>& parent,
                                    const GlobalArray<Distance>& distance) const {
  joined_.fill(0);
  Findings nothing;
  nothing.levels = std::is_integral_v<Distance>;
  findings_.fill(nothing);
  graph::on_each_locale([self = *this, graph, parent, distance] {
    forall_range_here(graph.locale_begin(), graph.locale_end(),
                      [self, parent, distance, begin = graph.locale_begin()](std::int64_t first,
                                                                             std::int64_t last) {
                        const VertexId* parents = parent.locale_part().data() - begin;
                        const Distance* distances = distance.locale_part().data() - begin;
                        for (std::int64_t v = first; v < last; ++v) {
                          self.parent_.data()[v] = parents[v];
                          // A level below 0 means none.
                          const bool none = std::is_integral_v<Distance> && distances[v] < 0;
                          self.distance_.data()[v] =
                              none ? kInfinite : static_cast<double>(distances[v]);
                        }
                      });
  });
  parent_.all_gather(graph::vertices_of_locale(graph));
  distance_.all_gather(graph::vertices_of_locale(graph));
}

void Graph500Validator::check(std::span<const Edge> edges, std::span<const double> weights) const {
  Findings& findings = *findings_.data();
  const VertexId* parent = parent_.data();
  const double* distance = distance_.data();
  std::uint64_t* joined = joined_.data();
  std::int64_t reached = 0;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const auto [u, v] = edges[i];
    const double length = weights.empty() ? 1 : weights[i];
    const double from = distance[u];
    const double to = distance[v];
    if (from == kInfinite && to == kInfinite) continue;
    ++reached;
    if (from == kInfinite || to == kInfinite) {
      note({Rule::kSpan, u, v, from, to, length});
      continue;
    }
    if (!(from + length >= to && to + length >= from)) note({Rule::kEdge, u, v, from, to, length});
    if (from + length == to && parent[v] == u) graph::claim_bit(joined, v);
    if (to + length == from && parent[u] == v) graph::claim_bit(joined, u);
  }
  std::atomic_ref(findings.edges).fetch_add(reached, std::memory_order_relaxed);
}

void Graph500Validator::note(const Breach& breach) const {
  Findings& findings = *findings_.data();
  const auto rule = static_cast<std::size_t>(breach.rule);
  if (std::atomic_ref(findings.breaches[rule]).fetch_add(1, std::memory_order_relaxed) == 0)
    findings.first[rule] = breach;
}

void Graph500Validator::check_vertex(VertexId v, VertexId source) const {
  const VertexId p = parent_.data()[v];
  const double d = distance_.data()[v];
  if (v == source) {
    if (p != source || d != 0) note({Rule::kSource, v, p, d, 0, 0});
    return;
  }
  if (p == kNoVertex && d == kInfinite) return;
  if (p >= parent_.size() || d == kInfinite) return note({Rule::kParent, v, p, d, 0, 0});
  const double of_parent = distance_.data()[p];
  const Breach breach{Rule::kLevel, v, p, d, of_parent, 0};
  const bool is_level = findings_.data()->levels;
  if (is_level ? of_parent + 1 != d : of_parent > d) return note(breach);
  if (leads_into_cycle(v, source)) return note({Rule::kCycle, v, p, d, of_parent, 0});
  if (!graph::test_bit(joined_.data(), v)) note({Rule::kJoined, v, p, d, of_parent, 0});
}

/// Only parents at one distance can; elsewhere distances fall on the way to the source.
bool Graph500Validator::leads_into_cycle(VertexId v, VertexId source) const {
  const VertexId* parent = parent_.data();
  const double* distance = distance_.data();
  for (std::int64_t steps = 0; steps <= parent_.size(); ++steps) {
    if (v == source) return false;
    const VertexId above = parent[v];
    if (above >= parent_.size() || distance[above] != distance[v]) return false;
    v = above;
  }
  return true;
}

Graph500Validation Graph500Validator::finish(const Graph& graph, VertexId source) const {
  joined_.merge([](std::uint64_t a, std::uint64_t b) { return a | b; });
  graph::on_each_locale([self = *this, graph, source] {
    forall_here(graph.locale_begin(), graph.locale_end(), [self, source](std::int64_t v) {
      self.check_vertex(static_cast<VertexId>(v), source);
    });
  });
  Graph500Validation result;
  const auto all = graph::gather_locales([self = *this] { return *self.findings_.data(); });
  for (const Findings& findings : all) result.edges += findings.edges;
  for (std::size_t rule = 0; rule < kRules; ++rule) {
    for (const Findings& findings : all) {
      if (result.failure.empty() && findings.breaches[rule] != 0)
        result.failure = text_of(findings.first[rule]);
    }
  }
  return result;
}

std::string Graph500Validator::text_of(const Breach& b) {
  const auto ends =
      fmt::format("{} (at {}) and {} (at {})", b.vertex, b.distance, b.other, b.other_distance);
  switch (b.rule) {
    case Rule::kSource:
      return fmt::format("rule 1: the source {} has parent {}, at distance {}", b.vertex, b.other,
                         b.distance);
    case Rule::kParent:
      return fmt::format("rule 1: vertex {} has parent {}, at distance {}", b.vertex, b.other,
                         b.distance);
    case Rule::kCycle:
      return fmt::format("rule 1: the parents of vertex {} lead into a cycle", b.vertex);
    case Rule::kLevel:
      return fmt::format("rule 2: vertex and parent, {}, are not as they should be apart", ends);
    case Rule::kEdge:
      return fmt::format("rule 3: the ends of an edge of length {}, {}, are farther apart",
                         b.length, ends);
    case Rule::kSpan:
      return fmt::format("rule 4: of the ends of an edge, {}, only one is in the tree", ends);
    case Rule::kJoined:
      break;
  }
  return fmt::format("rule 5: no edge of the input explains vertex and parent, {}", ends);
}

}  // namespace grappa::bench
