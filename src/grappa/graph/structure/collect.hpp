#pragma once

// Brings values of vertices to the caller, as a plain vector: for printing and checking results.
//
//   std::vector<double> rank = collect(*pages.rank, graph);
//   std::vector<VertexId> label = collect_vertices(*components.label, graph);
//
// The index is the number that the vertex has in the list that the graph was built from; values
// that are vertices themselves become such numbers, too.
// Called by one task; switches tasks. UsageError for an array or a graph that is not live, for more
// elements than there are, and for an array that is not of the graph's size.

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "grappa/base/closure_names.hpp"
#include "grappa/base/error.hpp"
#include "grappa/container/global_array.hpp"
#include "grappa/delegate/delegate.hpp"
#include "grappa/graph/structure/graph.hpp"
#include "grappa/parallel/runtime.hpp"

namespace grappa::graph {

/// The first n elements of an array, in ascending order.
template <class T>
std::vector<T> collect(const GlobalArray<T>& array, std::int64_t n,
                       internal::CallSite where = internal::CallSite::current()) {
  array.require_live("collect", &where);
  if (n < 0 || n > array.size()) {
    throw UsageError(fmt::format("{}collect: {} elements of an array of {}",
                                 internal::place_prefix(&where), n, array.size()));
  }
  std::vector<T> values(static_cast<std::size_t>(n));
  if (locale_count() == 1) {
    const std::span<T> all = array.locale_part();
    std::copy_n(all.begin(), n, values.begin());
    return values;
  }
  const auto base = GlobalAddress<T>::of_local(values.data());
  array.forall([=](std::int64_t i, T& value) {
    if (i < n) delegate::async::write(base + i, value);
  });
  return values;
}

template <class T>
std::vector<T> collect(const GlobalArray<T>& array, const Graph& graph,
                       internal::CallSite where = internal::CallSite::current()) {
  graph.require_live("collect", &where);
  array.require_live("collect", &where);
  if (array.size() != graph.vertices_per_core() * core_count()) {
    throw UsageError(fmt::format(
        "{}collect: the array has {} elements, those of this graph have {}",
        internal::place_prefix(&where), array.size(), graph.vertices_per_core() * core_count()));
  }
  std::vector<T> by_vertex = collect(array, graph.vertex_count(), where);
  if (!graph.is_reordered()) return by_vertex;
  std::vector<T> values(by_vertex.size());
  for (std::size_t v = 0; v < values.size(); ++v)
    values[graph.given(static_cast<VertexId>(v))] = by_vertex[v];
  return values;
}

/// kNoVertex stays.
inline std::vector<VertexId> collect_vertices(
    const GlobalArray<VertexId>& array, const Graph& graph,
    internal::CallSite where = internal::CallSite::current()) {
  std::vector<VertexId> values = collect(array, graph, where);
  if (graph.is_reordered()) {
    for (VertexId& v : values) v = v == kNoVertex ? v : graph.given(v);
  }
  return values;
}

}  // namespace grappa::graph
