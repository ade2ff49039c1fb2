#include "grappa/graph/structure/internal/halo.hpp"

#include <algorithm>

#include "grappa/graph/exec/locales.hpp"
#include "grappa/graph/exec/tuning.hpp"
#include "grappa/graph/structure/internal/bitmap.hpp"
#include "grappa/parallel/forall.hpp"

namespace grappa::graph {
namespace {

/// How many of the edges into a sample of the vertices there are, and come from other locales.
struct Sample {
  std::int64_t all = 0;
  std::int64_t away = 0;
  Sample operator+(const Sample& other) const { return {all + other.all, away + other.away}; }
};

Sample sample_here(const Graph& graph) {
  Sample edges;
  const Adjacency in = graph.in();
  const std::int64_t begin = graph.locale_begin();
  const std::int64_t end = graph.locale_end();
  const std::int64_t stride = std::max<std::int64_t>(1, (end - begin) / tuning::kSamples);
  for (std::int64_t v = begin; v < end; v += stride) {
    for (const VertexId u : in.neighbors(v)) {
      ++edges.all;
      if (u < begin || u >= end) ++edges.away;
    }
  }
  return edges;
}

/// Marks the neighbors of [first, last) that other locales have.
void mark_away(const Graph& graph, const Adjacency& rows, std::int64_t first, std::int64_t last,
               std::uint64_t* marks) {
  const std::int64_t begin = graph.locale_begin();
  const std::int64_t end = graph.locale_end();
  for (std::int64_t v = first; v < last; ++v) {
    rows.prefetch_in_order(v, last);
    const std::span<const VertexId> row = rows.neighbors(v);
    // Rows ascend.
    if (row.empty() || (row.front() >= begin && row.back() < end)) continue;
    for (const VertexId u : row) {
      if (u >= begin && u < end) continue;
      if (!test_bit_shared(marks, u)) claim_bit(marks, u);
    }
  }
}

}  // namespace

bool is_mostly_local(const Graph& graph) {
  if (locale_count() == 1) return false;
  const Sample sum = reduce_locales([graph] { return sample_here(graph); });
  return sum.away < sum.all / tuning::kAwayPart;
}

Halo Halo::of_marked(const Graph& graph, Replica<std::uint64_t> marks) {
  Owned<Exchange> exchange = Exchange::create();
  Owned<LocaleState<Lists>> lists = LocaleState<Lists>::create([] {
    const std::vector<std::vector<VertexId>> none(at(locale_count()));
    return Lists{.wanted = none, .asked = none};
  });
  on_all_locales([graph, marks, lists = *lists, exchange = *exchange] {
    for_others([&](int locale) {
      std::vector<VertexId>& wanted = lists->wanted[at(locale)];
      // Locales have whole words.
      for_each_bit(marks.data(), bitmap_words(graph.first_vertex_of(locale)),
                   bitmap_words(graph.first_vertex_of(locale + 1)),
                   [&](VertexId v) { wanted.push_back(v); });
      exchange.send(locale, wanted);
    });
  });
  on_all_locales([lists = *lists, exchange = *exchange] {
    for_others([&](int locale) { lists->asked[at(locale)] = exchange.take<VertexId>(locale); });
  });
  Halo halo;
  halo.exchange_ = exchange.release();
  halo.lists_ = lists.release();
  return halo;
}

Halo Halo::of_edges(const Graph& graph, Edges edges) {
  const Owned<Replica<std::uint64_t>> marks =
      Replica<std::uint64_t>::create(bitmap_words(graph.vertex_count()));
  on_all_locales([graph, edges, marks = *marks] {
    const auto mark = [graph, marks](const Adjacency& rows) {
      forall_range_here(graph.locale_begin(), graph.locale_end(),
                        [graph, rows, marks](std::int64_t first, std::int64_t last) {
                          mark_away(graph, rows, first, last, marks.data());
                        });
    };
    if (edges != Edges::kOut || !graph.is_directed()) mark(graph.in());
    if (edges != Edges::kIn && graph.is_directed()) mark(graph.out());
  });
  return of_marked(graph, *marks);
}

void Halo::destroy() {
  lists_.destroy();
  exchange_.destroy();
}

}  // namespace grappa::graph
