#pragma once

// What a locale has while trusses are peeled, and how the triangles of edges are found that go.
//
// Triangles of an edge are found at the home of the end with more neighbors, its hub: all edges of
// a round with this hub are taken together, the hub's neighbors are marked, and the row of each
// edge's owner is looked up in the marks.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "grappa/graph/algorithms/truss_numbers/internal/truss_rows.hpp"
#include "grappa/graph/exec/core_lists.hpp"
#include "grappa/graph/exec/tuning.hpp"
#include "grappa/parallel/exchange.hpp"
#include "grappa/parallel/locale_state.hpp"

namespace grappa::graph {

inline constexpr TrussNumber kNoTriangles = std::numeric_limits<TrussNumber>::max();

/// An edge whose triangles are looked for at its hub.
struct TrussSearch {
  static constexpr std::size_t kHere = std::numeric_limits<std::size_t>::max();
  VertexId hub;
  VertexId owner;
  std::size_t row = kHere;  // of the owner: on this locale, or from here on in `came`
};

/// What a search tells the owner of an edge.
struct TrussChange {
  VertexId owner;
  VertexId other;
  TrussNumber triangles;  // that it has; in peeling: one that it loses
};

/// An edge whose owner's row a locale needs.
struct WantedRow {
  int locale;
  OwnedEdge edge;
  auto key() const { return std::tuple(locale, edge.owner, edge.other); }
};

/// A core's own.
struct alignas(64) TrussCore {
  VertexId* marks = nullptr;         // [vertices], 0 but during a search
  TrussNumber least = kNoTriangles;  // that an edge of `lowest` is in
};

/// The state of a locale, which its cores share.
struct TrussPart {
  Graph graph;
  TrussRows rows;
  Exchange exchange;
  std::int64_t block_arcs;
  TrussNumber* truss;  // of this locale's vertices
  std::vector<TrussCore> cores;
  PeelingRound round = 0;              // 0: the triangles of all edges are counted
  TrussNumber level = 0;               // edges in so many triangles are removed
  CoreLists<OwnedEdge> current = {};   // to be removed in this round
  CoreLists<OwnedEdge> next = {};      // and in the next
  CoreLists<OwnedEdge> lowest = {};    // of the vertices of a core, in the least triangles
  CoreLists<VertexId> remaining = {};  // vertices that have edges left
  CoreLists<VertexId> kept = {};       // for the next level
  CoreLists<TrussSearch> searches = {};
  CoreLists<WantedRow> wanted = {};
  // Rows of other locales: the owner, how many edges are looked for, and their hubs; the length of
  // the row, and the neighbors, with kGoes where the edge is removed in this round.
  std::vector<std::uint64_t> came = {};
  // The result, the same on all locales; nothing if the kernel is cancelled.
  std::optional<std::vector<TrussEdges>> edges = {};

  TrussCore& mine() { return cores[core_in_locale()]; }
  int locale_of(VertexId v) const { return graph.home(v) / cores_per_locale(); }
};
using TrussParts = LocaleState<TrussPart>;
/// Beside a neighbor in such a row.
inline constexpr std::uint64_t kGoes = std::uint64_t{1} << 63;

// ---- what is said of edges at their owners ----

inline void change_here(TrussPart& local, std::size_t arc, const TrussChange& change) {
  if (local.round == 0) {
    local.rows.triangles(arc) = change.triangles;
  } else if (local.rows.lose_triangle(arc, local.level)) {
    local.next.mine().push_back({change.owner, change.other});
  }
}

inline void change(TrussPart& local, const TrussChange& change) {
  if (local.rows.is_here(change.owner)) {
    change_here(local, local.rows.arc(change.owner, change.other), change);
  } else {
    local.exchange.add(local.locale_of(change.owner), change);
  }
}

/// The edge v - w, which the row of v has at `arc`, loses a triangle.
inline void lose(TrussPart& local, VertexId v, VertexId w, std::size_t arc) {
  const OwnedEdge edge = local.rows.edge(v, w);
  if (edge.owner == v && arc != TrussRows::kNone) {
    change_here(local, arc, {v, w, 1});
  } else {
    change(local, {edge.owner, edge.other, 1});
  }
}

// ---- looking for triangles ----

/// Those of some edges, by one core.
class TrussSearcher {
 public:
  explicit TrussSearcher(TrussPart& local)
      : local_(local), rows_(local.rows), marks_(local.mine().marks) {}

  void search(std::span<const TrussSearch> searches) {
    std::vector<TrussSearch> by_hub(searches.begin(), searches.end());
    std::ranges::sort(by_hub, {}, [](const TrussSearch& s) { return std::pair(s.hub, s.owner); });
    for (auto at = by_hub.begin(); at != by_hub.end();) {
      const auto end =
          std::find_if(at, by_hub.end(), [&](const TrussSearch& s) { return s.hub != at->hub; });
      search_hub(std::span(at, end));
      at = end;
    }
  }

 private:
  void search_hub(std::span<const TrussSearch> searches) {
    const VertexId hub = searches.front().hub;
    const std::size_t begin = rows_.begin(hub);
    const std::size_t end = rows_.end(hub);
    std::size_t looked_up = 0;
    for (const TrussSearch& search : searches) looked_up += row_length(search);
    if (end - begin < looked_up * tuning::kMarkedPerLookUp) {
      for (std::size_t arc = begin; arc < end; ++arc) {
        if (is_left(arc)) marks_[rows_.neighbor(arc)] = static_cast<VertexId>(arc - begin) + 1;
      }
      for (const TrussSearch& search : searches) {
        find_triangles(search, [this, begin](VertexId w) {
          return marks_[w] == 0 ? TrussRows::kNone : begin + marks_[w] - 1;
        });
      }
      for (std::size_t arc = begin; arc < end; ++arc) marks_[rows_.neighbor(arc)] = 0;
    } else {
      for (const TrussSearch& search : searches) {
        find_triangles(search, [this, end, from = begin](VertexId w) mutable {
          from = rows_.first_from(from, end, w);
          const bool found = from < end && rows_.neighbor(from) == w && is_left(from);
          return found ? from : TrussRows::kNone;
        });
      }
    }
  }

  /// hub_arc(w): the arc of the hub to w, or kNone.
  template <class HubArc>
  void find_triangles(const TrussSearch& search, HubArc hub_arc) {
    const VertexId hub = search.hub;
    const VertexId owner = search.owner;
    TrussNumber triangles = 0;
    for_each_of_row(search, [&](VertexId w, bool owner_goes, std::size_t owner_arc) {
      const std::size_t arc = hub_arc(w);
      if (arc == TrussRows::kNone) return;
      ++triangles;
      if (local_.round == 0) return;
      const bool hub_goes = goes(arc);
      if (owner_goes && is_before(owner, w, owner, hub)) return;
      if (hub_goes && is_before(hub, w, owner, hub)) return;
      if (!owner_goes) lose(local_, owner, w, owner_arc);
      if (!hub_goes) lose(local_, hub, w, arc);
    });
    if (local_.round == 0) change(local_, {owner, hub, triangles});
  }

  /// use(w, whether the edge to w is removed in this round, its arc if it is here) for the
  /// neighbors w of the owner, ascending.
  template <class Use>
  void for_each_of_row(const TrussSearch& search, Use use) const {
    if (search.row == TrussSearch::kHere) {
      const std::size_t end = rows_.end(search.owner);
      for (std::size_t arc = rows_.begin(search.owner); arc < end; ++arc) {
        if (is_left(arc)) use(rows_.neighbor(arc), goes(arc), arc);
      }
    } else {
      const std::uint64_t* const row = local_.came.data() + search.row;
      for (std::uint64_t i = 1; i <= row[0]; ++i)
        use(static_cast<VertexId>(row[i] & ~kGoes), (row[i] & kGoes) != 0, TrussRows::kNone);
    }
  }
  std::size_t row_length(const TrussSearch& search) const {
    return search.row == TrussSearch::kHere ? rows_.end(search.owner) - rows_.begin(search.owner)
                                            : local_.came[search.row];
  }

  bool is_left(std::size_t arc) const { return rows_.removed(arc) >= local_.round; }
  bool goes(std::size_t arc) const { return rows_.removed(arc) == local_.round; }
  /// Of two edges, in an order that all locales agree on.
  static bool is_before(VertexId a, VertexId b, VertexId c, VertexId d) {
    return std::pair(std::max(a, b), std::min(a, b)) < std::pair(std::max(c, d), std::min(c, d));
  }

  TrussPart& local_;
  const TrussRows& rows_;
  VertexId* const marks_;
};

}  // namespace grappa::graph
