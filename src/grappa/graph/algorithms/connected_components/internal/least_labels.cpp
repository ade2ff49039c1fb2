#include "grappa/graph/algorithms/connected_components/internal/least_labels.hpp"

#include <algorithm>

#include "grappa/container/replica.hpp"
#include "grappa/graph/exec/locales.hpp"
#include "grappa/graph/structure/internal/shared_values.hpp"
#include "grappa/parallel/forall.hpp"
#include "grappa/parallel/owned.hpp"

namespace grappa::graph {
namespace {

/// f(vertex, its label) for the vertices of this locale, on all of its cores.
template <class F>
void for_labels_here(const Graph& graph, const GlobalArray<VertexId>& label, F f) {
  const std::int64_t begin = graph.locale_begin();
  forall_here(begin, graph.locale_end(), [label, begin, f](std::int64_t v) {
    f(static_cast<VertexId>(v), label.locale_part()[static_cast<std::size_t>(v - begin)]);
  });
}

}  // namespace

void label_by_given(const Graph& graph, const GlobalArray<VertexId>& label) {
  if (!graph.is_reordered()) return;
  const Owned least = Replica<VertexId>::create_for_overwrite(graph.vertex_count());
  on_each_locale([graph, label, least = *least] {
    std::ranges::fill(least.span(), kNoVertex);
    for_labels_here(graph, label, [graph, least](VertexId v, VertexId of_v) {
      lower_shared(least.data()[of_v], graph.given(v));
    });
  });
  least->merge([](VertexId a, VertexId b) { return std::min(a, b); });
  on_each_locale([graph, label, least = *least] {
    for_labels_here(graph, label, [graph, least](VertexId, VertexId& of_v) {
      of_v = graph.vertex(least.data()[of_v]);
    });
  });
}

}  // namespace grappa::graph
