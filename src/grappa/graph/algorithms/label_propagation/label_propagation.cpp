// Label propagation in synchronous rounds: each vertex counts the labels of its neighbors in a
// table of its own (label_counts.hpp), reading those of the round before and writing those of the
// next. Every locale has a copy of all labels; after each round the locales exchange their parts.
//
// A round that changes nothing is the last: all after it would find the same labels.
#include "grappa/graph/algorithms/label_propagation/label_propagation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "grappa/base/error.hpp"
#include "grappa/container/replica.hpp"
#include "grappa/graph/algorithms/label_propagation/internal/label_counts.hpp"
#include "grappa/graph/exec/locales.hpp"
#include "grappa/graph/exec/rounds.hpp"
#include "grappa/graph/structure/internal/locale_parts.hpp"
#include "grappa/graph/structure/internal/shared_values.hpp"
#include "grappa/parallel/cancellation.hpp"
#include "grappa/parallel/forall.hpp"
#include "grappa/parallel/locale_state.hpp"

namespace grappa::graph {
namespace {

/// Gives the vertices of this locale the labels of the next round.
struct Round {
  Graph graph;
  Replica<VertexId> label;
  Replica<VertexId> next;
  LocaleState<std::int64_t> changed;

  void operator()(std::int64_t first, std::int64_t last) const {
    stop_if_cancelled();
    const Adjacency out = graph.out();
    const Adjacency in = graph.in();
    const bool both = graph.is_directed();
    const VertexId* const labels = label.data();
    VertexId* const new_labels = next.data();
    LabelCounts counts;
    std::int64_t changes = 0;
    for (std::int64_t v = first; v < last; ++v) {
      const std::int64_t degree = out.degree(v) + (both ? in.degree(v) : 0);
      VertexId chosen = labels[v];
      if (degree == 1) {
        chosen = labels[out.degree(v) == 1 ? out.neighbors(v).front() : in.neighbors(v).front()];
      } else if (degree > 1) {
        counts.start(degree);
        prefetch_behind(out.neighbors(v));
        for (const VertexId w : out.neighbors(v)) counts.add(labels[w]);
        if (both) {
          prefetch_behind(in.neighbors(v));
          for (const VertexId w : in.neighbors(v)) counts.add(labels[w]);
        }
        chosen = counts.most_frequent();
      }
      new_labels[v] = chosen;
      changes += chosen != labels[v];
    }
    add_shared(*changed, changes);
  }
};

}  // namespace

LabelPropagationResult label_propagation(const Graph& graph,
                                         const LabelPropagationOptions& options) {
  graph.require_live("label_propagation");
  graph.require_in_edges("label_propagation");
  if (options.iterations < 0)
    throw UsageError(
        fmt::format("label_propagation: {} iterations are not possible", options.iterations));

  const std::int64_t padded = graph.vertices_per_core() * core_count();
  LabelPropagationResult result;
  result.label = graph.make_vertex_array_for_overwrite<VertexId>();
  Owned label = Replica<VertexId>::create_for_overwrite(padded);
  Owned next = Replica<VertexId>::create_for_overwrite(padded);
  const Owned changed = LocaleState<std::int64_t>::create();
  // Labels are the numbers in the list of edges, whatever the vertices are called now: which of
  // equally frequent ones is taken depends on it.
  on_each_locale([graph, label = *label] {
    forall_here(0, graph.vertex_count(), [graph, label](std::int64_t v) {
      label.data()[v] = graph.given(static_cast<VertexId>(v));
    });
  });
  while (result.iterations < options.iterations) {
    result.changed = reduce_locales([round = Round{graph, *label, *next, *changed}] {
      forall_range_here(round.graph.locale_begin(), round.graph.locale_end(), round);
      return std::exchange(*round.changed, 0);
    });
    next->all_gather(vertices_of_locale(graph));
    std::swap(label, next);
    mark_round("iteration", ++result.iterations);
    if (options.on_iteration) options.on_iteration(result.iterations, result.changed);
    if (result.changed == 0) break;
  }
  on_each_locale([graph, label = *label, to = *result.label] {
    std::transform(label.data() + graph.locale_begin(), label.data() + graph.locale_end(),
                   to.locale_part().begin(), [&](VertexId given) { return graph.vertex(given); });
  });
  return result;
}

}  // namespace grappa::graph
