#include "grappa/graph/structure/internal/serial_graph.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "grappa/delegate/delegate.hpp"
#include "grappa/graph/exec/locales.hpp"
#include "grappa/parallel/spawn.hpp"

namespace grappa::graph {
namespace {

/// Calls write(arc, weight) for the arcs of this locale, from 0.
template <class F>
void write_weights(const Graph& graph, F write) {
  const Adjacency out = graph.out();
  visit_weights(graph.weight_type(), [&]<class W>(W) {
    std::size_t arc = 0;
    for (std::int64_t v = graph.locale_begin(); v < graph.locale_end(); ++v) {
      const auto weights = out.weights<W>(v);
      const auto degree = static_cast<std::size_t>(out.degree(v));
      for (std::size_t i = 0; i < degree; ++i) write(arc++, static_cast<double>(weights[i]));
    }
  });
}

/// f(the place of the locale's first arc in all of them) on every locale, all at once.
template <class F>
void at_first_arcs(const Graph& graph, const std::vector<std::uint64_t>& offsets, F f) {
  CompletionEvent done;
  for (int locale = 0; locale < locale_count(); ++locale) {
    const auto begin = static_cast<std::size_t>(graph.first_vertex_of(locale));
    const auto first = static_cast<std::int64_t>(offsets[begin]);
    spawn_on(done, first_core_of(locale), [f, first] { f(first); });
  }
  done.wait();
}

}  // namespace

SerialGraph::SerialGraph(std::int64_t vertex_count, bool directed, std::span<const Edge> edges,
                         std::span<const double> weights)
    : directed_(directed) {
  std::vector<std::pair<Edge, double>> arcs;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const Edge& e = edges[i];
    const double weight = weights.empty() ? 1 : weights[i];
    arcs.push_back({e, weight});
    if (!directed && e.source != e.target) arcs.push_back({{e.target, e.source}, weight});
  }
  std::ranges::sort(arcs);
  std::vector<std::uint64_t> offsets(static_cast<std::size_t>(vertex_count) + 1);
  std::vector<VertexId> targets;
  for (const auto& [arc, weight] : arcs) {
    ++offsets[arc.source + 1];
    targets.push_back(arc.target);
    if (!weights.empty()) weights_.push_back(weight);
  }
  std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
  own(std::move(offsets), std::move(targets));
}

void SerialGraph::own(std::vector<std::uint64_t> offsets, std::vector<VertexId> targets) {
  own_offsets_ = std::move(offsets);
  own_targets_ = std::move(targets);
  offsets_ = own_offsets_;
  targets_ = own_targets_;
}

SerialGraph SerialGraph::of(const Graph& graph) {
  SerialGraph serial = as_numbered(graph);
  if (!graph.is_reordered()) return serial;
  std::vector<Edge> arcs;
  arcs.reserve(serial.targets_.size());
  for (std::int64_t v = 0; v < serial.vertex_count(); ++v) {
    for (const VertexId w : serial.neighbors(v))
      arcs.push_back({graph.given(static_cast<VertexId>(v)), graph.given(w)});
  }
  SerialGraph by_given(graph.vertex_count(), true, arcs, serial.weights_);
  by_given.directed_ = graph.is_directed();
  return by_given;
}

SerialGraph SerialGraph::as_numbered(const Graph& graph) {
  SerialGraph serial;
  serial.directed_ = graph.is_directed();
  const auto n = static_cast<std::size_t>(graph.vertex_count());
  if (locale_count() == 1) {
    const Adjacency out = graph.out();
    serial.offsets_ = out.offsets(graph.vertex_count());
    serial.targets_ = out.targets(graph.vertex_count());
    if (graph.weight_type() != WeightType::kNone) {
      serial.weights_.resize(serial.targets_.size());
      write_weights(graph, [&](std::size_t arc, double weight) { serial.weights_[arc] = weight; });
    }
    return serial;
  }
  std::vector<std::uint64_t> offsets(n + 1);
  const auto degrees_here = GlobalAddress<std::uint64_t>::of_local(offsets.data()) + 1;
  on_all_locales([graph, degrees_here] {
    const Adjacency out = graph.out();
    for (std::int64_t v = graph.locale_begin(); v < graph.locale_end(); ++v)
      delegate::async::write(degrees_here + v, static_cast<std::uint64_t>(out.degree(v)));
  });
  std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());

  std::vector<VertexId> targets(offsets.back());
  const auto targets_here = GlobalAddress<VertexId>::of_local(targets.data());
  at_first_arcs(graph, offsets, [graph, targets_here](std::int64_t first) {
    const Adjacency out = graph.out();
    auto to = targets_here + first;
    for (std::int64_t v = graph.locale_begin(); v < graph.locale_end(); ++v) {
      for (const VertexId w : out.neighbors(v)) delegate::async::write(to++, w);
    }
  });
  if (graph.weight_type() != WeightType::kNone) {
    serial.weights_.resize(targets.size());
    const auto weights_here = GlobalAddress<double>::of_local(serial.weights_.data());
    at_first_arcs(graph, offsets, [graph, weights_here](std::int64_t first) {
      write_weights(graph, [to = weights_here + first](std::size_t arc, double weight) {
        delegate::async::write(to + static_cast<std::int64_t>(arc), weight);
      });
    });
  }
  serial.own(std::move(offsets), std::move(targets));
  return serial;
}

}  // namespace grappa::graph
