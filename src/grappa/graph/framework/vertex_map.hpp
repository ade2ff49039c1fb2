#pragma once

// vertex_map and vertex_filter: apply a function to each vertex of a set, at its home locale.
//
//   vertex_map(touched, [rank = VertexView(rank), n](VertexId v) { rank[v] = 1.0 / n; });
//   Frontier odd = vertex_filter(touched, [](VertexId v) { return v % 2 == 1; });
//
// vertex_filter returns the vertices for which the function returned true (Ligra's vertexMap, J.
// Shun, G. Blelloch, PPoPP 2013, section 3). A function object may have bind(), which is called on
// the locale before it is used, for its VertexViews. It is trivially copyable, is called once for
// each vertex, and must not switch tasks. Grains of a set that is marked are whole words, so that
// no two cores write the same cache line of an array of vertices.
//
// Called by one task; switches tasks. What the function throws comes out as RemoteError. UsageError
// for a function that refers to a stack, as by [&]: it is called on many cores.

#include <algorithm>
#include <bit>

#include "grappa/graph/exec/take_vertices.hpp"
#include "grappa/graph/exec/tuning.hpp"
#include "grappa/graph/framework/edge_map.hpp"

namespace grappa::graph {

namespace detail {

/// f(v) for the listed vertices, or for the marked ones.
template <class F>
struct MapEntries {
  LocaleState<FrontierPart> parts;
  F f;

  void operator()(std::int64_t first, std::int64_t last) const {
    auto at_vertex = bound(f);
    const VertexId* const queue = parts->queue;
    for (std::int64_t i = first; i < last; ++i) at_vertex(queue[i]);
  }
};
template <class F>
struct MapWords {
  LocaleState<FrontierPart> parts;
  F f;

  void operator()(std::int64_t first, std::int64_t last) const {
    auto at_vertex = bound(f);
    for_each_bit(parts->bits, first, last, [&](VertexId v) { at_vertex(v); });
  }
};

template <class F, bool kAlone>
struct FilterEntries {
  Graph graph;
  LocaleState<FrontierPart> from;
  LocaleState<FrontierPart> to;
  F f;

  void operator()(std::int64_t first, std::int64_t last) const {
    auto keeps = bound(f);
    const Adjacency out = graph.out();
    const VertexId* const queue = from->queue;
    FrontierPart& mine = *to;
    std::int64_t arcs = 0;
    QueueWriter kept(mine.tail, mine.queue);
    for (std::int64_t i = first; i < last; ++i) {
      const VertexId v = queue[i];
      if (!keeps(v)) continue;
      claim_unset_bit<kAlone>(mine.bits, v);
      arcs += out.degree(v);
      kept.push(v);
    }
    add_shared(mine.arcs, arcs);
  }
};
template <class F>
struct FilterWords {
  Graph graph;
  LocaleState<FrontierPart> from;
  LocaleState<FrontierPart> to;
  F f;

  void operator()(std::int64_t first, std::int64_t last) const {
    auto keeps = bound(f);
    const Adjacency out = graph.out();
    const std::uint64_t* const bits = from->bits;
    FrontierPart& mine = *to;
    const Taken kept = take_vertices(
        first, last, out, [bits](std::int64_t word) { return bits[word]; }, keeps,
        [&mine](std::int64_t word, std::uint64_t marks) { mine.bits[word] = marks; });
    add_shared(mine.marked, kept.vertices);
    add_shared(mine.arcs, kept.arcs);
  }
};

/// Whether one core goes through the list.
inline bool is_little(const FrontierPart& part) { return part.tail <= tuning::kSerialVertices; }

/// Runs `entries` over what is listed on this locale, or `words` over its marks.
template <class Entries, class Words>
void over_set(const Graph& graph, const FrontierPart& part, bool listed, Entries entries,
              Words words) {
  if (listed) {
    over(0, part.tail, is_little(part), {.grain = tuning::kVertexGrain}, entries);
  } else {
    const std::int64_t begin = graph.locale_begin();
    const std::int64_t end = graph.locale_end();
    over(bitmap_words(begin), bitmap_words(end), end - begin <= tuning::kSerialVertices, {}, words);
  }
}

}  // namespace detail

template <class F>
void vertex_map(const Frontier& set, F f,
                internal::CallSite where = internal::CallSite::current()) {
  if (set.empty()) return;
  internal::here().messages->check_body(f, where);
  const auto& memory = Frontiers::memory(set);
  on_each_locale(
      [graph = Frontiers::of(set).graph(), parts = memory.part, listed = memory.listed, f] {
        detail::over_set(graph, *parts, listed, detail::MapEntries<F>{parts, f},
                         detail::MapWords<F>{parts, f});
      });
}

template <class F>
Frontier vertex_filter(const Frontier& set, F f,
                       internal::CallSite where = internal::CallSite::current()) {
  if (set.empty()) return {};
  internal::here().messages->check_body(f, where);
  Frontiers& frontiers = Frontiers::of(set);
  Frontier kept = frontiers.start();
  const auto& memory = Frontiers::memory(set);
  on_each_locale([graph = frontiers.graph(), from = memory.part, to = Frontiers::memory(kept).part,
                  listed = memory.listed, f] {
    const detail::FrontierPart& part = *from;
    const auto filter = [&](auto entries) {
      detail::over_set(graph, part, listed, entries, detail::FilterWords<F>{graph, from, to, f});
    };
    if (detail::is_little(part) || cores_per_locale() == 1) {
      filter(detail::FilterEntries<F, true>{graph, from, to, f});
    } else {
      filter(detail::FilterEntries<F, false>{graph, from, to, f});
    }
  });
  frontiers.finish(kept, memory.listed);
  return kept;
}

}  // namespace grappa::graph
