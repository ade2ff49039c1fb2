#include "grappa/graph/framework/internal/edge_places.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "grappa/graph/exec/locales.hpp"
#include "grappa/graph/framework/push_edges.hpp"
#include "grappa/parallel/forall.hpp"

namespace grappa::graph {
namespace {

int locale_of_vertex(const Graph& graph, VertexId v) { return locale_of(graph.home(v)); }

/// f(v, position in the row) for the edges of this locale's vertices whose other ends are
/// elsewhere.
template <class F>
void for_edges_away(const Graph& graph, const Adjacency& rows, F f) {
  const std::int64_t begin = graph.locale_begin();
  const std::int64_t end = graph.locale_end();
  for (std::int64_t v = begin; v < end; ++v) {
    const std::span<const VertexId> row = rows.neighbors(v);
    const RowPart here = part_between(row, begin, end);
    for (std::size_t k = 0; k < here.first; ++k) f(v, k);
    for (std::size_t k = here.last; k < row.size(); ++k) f(v, k);
  }
}

/// In- and out-edges of the caller's locale.
struct EdgesHere {
  std::int64_t in;
  std::int64_t in_from_others;
  std::int64_t out;
};

EdgesHere count_here(const Graph& graph) {
  const Adjacency in = graph.in();
  const Adjacency out = graph.out();
  const std::int64_t end = graph.locale_end();
  EdgesHere count{.in = 0, .in_from_others = 0, .out = 0};
  if (graph.locale_begin() == end) return count;
  count.in = static_cast<std::int64_t>(in.offset(end));
  count.out = static_cast<std::int64_t>(out.offset(end));
  for_edges_away(graph, in, [&](std::int64_t, std::size_t) { ++count.in_from_others; });
  return count;
}

}  // namespace

Owned<EdgePlaces> EdgePlaces::of(const Graph& graph) {
  EdgePlaces made;
  std::int64_t most_in = 0;
  for (const EdgesHere& here : gather_locales([graph] { return count_here(graph); })) {
    most_in = std::max(most_in, here.in);
    made.size_ = std::max(made.size_, here.out + here.in_from_others);
  }
  Owned<Exchange> exchange = Exchange::create();
  Owned<LocaleState<Away>> away = LocaleState<Away>::create([] {
    const std::size_t locales = index(locale_count());
    return Away{.sent = std::vector<std::vector<std::uint64_t>>(locales),
                .first = std::vector<std::uint64_t>(locales)};
  });
  Owned<Replica<std::uint64_t>> places = Replica<std::uint64_t>::create_for_overwrite(most_in);
  made.exchange_ = *exchange;
  made.away_ = *away;
  made.places_ = *places;
  on_each_locale([graph, made] {
    made.find_in_edges_here(graph);
    if (locale_count() == 1) return;
    made.find_in_edges_from_others(graph);
    made.find_out_edges_to_others(graph);
  });
  exchange.release();
  away.release();
  places.release();
  return made;
}

void EdgePlaces::destroy() {
  places_.destroy();
  away_.destroy();
  exchange_.destroy();
}

/// Looks each target up in the row of its source.
void EdgePlaces::find_in_edges_here(const Graph& graph) const {
  forall_range_here(
      graph.locale_begin(), graph.locale_end(),
      [graph, made = *this](std::int64_t first, std::int64_t last) {
        const Adjacency in = graph.in();
        const Adjacency out = graph.out();
        const std::int64_t begin = graph.locale_begin();
        const std::int64_t end = graph.locale_end();
        for (std::int64_t v = first; v < last; ++v) {
          const std::span<const VertexId> row = in.neighbors(v);
          const RowPart here = part_between(row, begin, end);
          std::size_t equal = 0;  // edges before this one that have its ends
          for (std::size_t k = here.first; k < here.last; ++k) {
            const VertexId u = row[k];
            equal = k > here.first && row[k - 1] == u ? equal + 1 : 0;
            const std::span<const VertexId> targets = out.neighbors(u);
            const auto at = std::ranges::lower_bound(targets, static_cast<VertexId>(v));
            made.places_.data()[in.offset(v) + k] =
                out.offset(u) + static_cast<std::uint64_t>(at - targets.begin()) + equal;
          }
        }
      });
}

/// Ascending by target, then by source: the order of the rows.
void EdgePlaces::find_in_edges_from_others(const Graph& graph) const {
  const Adjacency in = graph.in();
  std::vector<std::uint64_t>& first = away_->first;
  for_edges_away(graph, in, [&](std::int64_t v, std::size_t k) {
    ++first[index(locale_of_vertex(graph, in.neighbors(v)[k]))];
  });
  std::uint64_t begin =
      graph.locale_begin() == graph.locale_end() ? 0 : graph.out().offset(graph.locale_end());
  for (std::uint64_t& place : first) begin += std::exchange(place, begin);
  std::vector<std::uint64_t> next = first;
  for_edges_away(graph, in, [&](std::int64_t v, std::size_t k) {
    places_.data()[in.offset(v) + k] = next[index(locale_of_vertex(graph, in.neighbors(v)[k]))]++;
  });
}

/// In the same order, which has to be made: rows are ascending by source.
void EdgePlaces::find_out_edges_to_others(const Graph& graph) const {
  const Adjacency out = graph.out();
  std::vector<std::vector<std::pair<VertexId, std::uint64_t>>> edges(index(locale_count()));
  for_edges_away(graph, out, [&](std::int64_t u, std::size_t k) {
    const VertexId v = out.neighbors(u)[k];
    edges[index(locale_of_vertex(graph, v))].emplace_back(v, out.offset(u) + k);
  });
  Halo::for_others([&](int locale) {
    auto& to = edges[index(locale)];
    // Places ascend with the source.
    std::ranges::sort(to);
    std::vector<std::uint64_t>& sent = away_->sent[index(locale)];
    sent.reserve(to.size());
    for (const auto& [target, place] : to) sent.push_back(place);
  });
}

}  // namespace grappa::graph
