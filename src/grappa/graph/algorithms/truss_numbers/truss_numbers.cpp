// Peeling: for ascending k, edges in k - 2 triangles of what is left, or fewer, are removed, and
// get truss number k, until none is left in so few (J. Wang, J. Cheng, "Truss decomposition in
// massive networks", PVLDB 5(9), 2012). It goes in rounds [1]: all edges of a round are removed
// together, and a triangle that loses several of its edges at once is taken from the others by the
// least of these alone. So rounds, too, are the same on any number of cores and locales.
//
// The number of triangles left becomes the truss number: it is never lowered below k - 2, so a
// removed edge keeps it. Between levels a pass over the edges that are left finds the next k, and
// drops from the rows what has been removed. An edge is seen at most once for each k up to its
// truss number, and so not much oftener than its triangles are.
//
// How many triangles edges are in at first is found as later on (internal/truss_search.hpp), for
// all edges, as if all were removed.
//
// Several locales go in supersteps: owners tell hubs what is removed; owners send their rows to the
// locales of the hubs, which send back what loses a triangle. Rows go in portions, so that there is
// never more than one of another locale's in memory.
//
// [1] H. Kabir, K. Madduri, "Shared-memory graph truss decomposition", HiPC 2017.
#include "grappa/graph/algorithms/truss_numbers/truss_numbers.hpp"

#include <algorithm>
#include <atomic>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "grappa/base/error.hpp"
#include "grappa/graph/algorithms/triangles/internal/degree_order.hpp"
#include "grappa/graph/algorithms/truss_numbers/internal/truss_search.hpp"
#include "grappa/graph/exec/locales.hpp"
#include "grappa/graph/exec/tuning.hpp"
#include "grappa/parallel/cancellation.hpp"
#include "grappa/parallel/forall.hpp"

namespace grappa::graph {
namespace {

/// body(list's part) over all entries, by all cores if these are more than a grain.
template <class T, class Body>
void over_list(const CoreLists<T>& list, std::int64_t grain, Body body) {
  over_grains(list.size(), grain, [list = &list, body](std::int64_t first, std::int64_t last) {
    list->for_range(first, last, body);
  });
}

/// What one locale does, in supersteps with all others.
class TrussPeeling {
 public:
  explicit TrussPeeling(TrussParts locals) : locals_(locals), local_(*locals) {}

  /// Nothing if the kernel is cancelled.
  std::optional<std::vector<TrussEdges>> run() {
    fill();
    find_triangles();
    std::vector<TrussEdges> levels;
    for (TrussNumber least = end_level(); least != kNoTriangles && !is_cancelled_;
         least = end_level()) {
      local_.level = least;
      levels.push_back({.truss = least + 2, .edges = 0});
      if (this_core() == 0) trace_mark("truss", levels.back().truss);
      take_lowest();
      while (!is_cancelled_) {
        const std::int64_t edges = remove_round();
        if (edges == 0) break;
        levels.back().edges += edges;
        find_triangles();
        begin_round(local_.current, local_.next);
      }
    }
    if (is_cancelled_) return std::nullopt;
    return levels;
  }

 private:
  void fill() {
    forall_range_here(local_.graph.locale_begin(), local_.graph.locale_end(),
                      [locals = locals_](std::int64_t first, std::int64_t last) {
                        TrussPart& local = *locals;
                        for (std::int64_t i = first; i < last; ++i) {
                          const auto v = static_cast<VertexId>(i);
                          local.truss[i - local.graph.locale_begin()] = 0;
                          local.rows.fill(v);
                          if (local.rows.begin(v) == local.rows.end(v)) continue;
                          local.remaining.mine().push_back(v);
                          want_all(local, v);
                        }
                      });
  }
  /// The triangles of all edges of v that have it as their hub, or are owned by it and have a hub
  /// elsewhere, are looked for.
  static void want_all(TrussPart& local, VertexId v) {
    for (std::size_t arc = local.rows.begin(v); arc < local.rows.end(v); ++arc) {
      const VertexId w = local.rows.neighbor(arc);
      const bool is_here = local.rows.is_here(w);
      if (is_here && local.rows.owns(w, v)) local.searches.mine().push_back({v, w});
      if (!is_here && local.rows.owns(v, w))
        local.wanted.mine().push_back({local.locale_of(w), {v, w}});
    }
  }

  /// Ends a level: finds the edges in the least triangles, and returns in how many they are.
  TrussNumber end_level() {
    over_list(local_.remaining, tuning::kVertexGrain,
              [locals = locals_](std::span<const VertexId> vertices) {
                for (const VertexId v : vertices) keep(*locals, v);
              });
    begin_round(local_.remaining, local_.kept);
    TrussNumber least = kNoTriangles;
    for (const TrussCore& core : local_.cores) least = std::min(least, core.least);
    return local_.exchange.end_superstep<TrussChange>(
        least, [](std::span<const TrussChange>) {},
        [](TrussNumber a, TrussNumber b) { return std::min(a, b); });
  }
  static void keep(TrussPart& local, VertexId v) {
    local.rows.compact(v);
    const std::size_t end = local.rows.end(v);
    if (local.rows.begin(v) == end) return;
    local.kept.mine().push_back(v);
    TrussCore& core = local.mine();
    std::vector<OwnedEdge>& lowest = local.lowest.mine();
    for (std::size_t arc = local.rows.begin(v); arc < end; ++arc) {
      const VertexId w = local.rows.neighbor(arc);
      if (!local.rows.owns(v, w)) continue;
      const TrussNumber triangles = local.rows.triangles(arc);
      if (triangles > core.least) continue;
      if (triangles < core.least) lowest.clear();
      core.least = triangles;
      lowest.push_back({v, w});
    }
  }
  void take_lowest() {
    local_.current.clear();
    for (int i = 0; i < cores_per_locale(); ++i) {
      TrussCore& core = local_.cores[static_cast<std::size_t>(i)];
      if (core.least == local_.level) std::swap(local_.current.of(i), local_.lowest.of(i));
      core.least = kNoTriangles;
    }
    local_.lowest.clear();
  }

  /// Removes the current edges: both ends learn of it. Returns how many these are on all locales.
  std::int64_t remove_round() {
    ++local_.round;
    over_list(local_.current, tuning::kSearchGrain,
              [locals = locals_](std::span<const OwnedEdge> edges) {
                TrussPart& local = *locals;
                for (const OwnedEdge edge : edges) {
                  remove(local, edge.owner, edge.other);
                  if (local.rows.is_here(edge.other)) {
                    remove(local, edge.other, edge.owner);
                    local.searches.mine().push_back({edge.other, edge.owner});
                  } else {
                    const int locale = local.locale_of(edge.other);
                    local.exchange.add(locale, edge);
                    local.wanted.mine().push_back({locale, edge});
                  }
                }
              });
    return local_.exchange.end_superstep<OwnedEdge>(
        local_.current.size(),
        [this](std::span<const OwnedEdge> edges) {
          for (const OwnedEdge edge : edges) remove(local_, edge.other, edge.owner);
        },
        std::plus<std::int64_t>());
  }
  /// The edge to w goes from the row of v. Others may be at the same row.
  static void remove(TrussPart& local, VertexId v, VertexId w) {
    local.rows.removed(local.rows.arc(v, w)) = local.round;
    TrussNumber& truss = local.truss[v - local.graph.locale_begin()];
    std::atomic_ref(truss).store(local.level + 2, std::memory_order_relaxed);
  }

  /// Finds the triangles of the edges that are to be looked for, and tells owners of it.
  void find_triangles() {
    std::vector<WantedRow> wanted;
    local_.wanted.for_range(0, local_.wanted.size(), [&wanted](std::span<const WantedRow> part) {
      wanted.insert(wanted.end(), part.begin(), part.end());
    });
    local_.wanted.clear();
    std::ranges::sort(wanted, {}, &WantedRow::key);
    std::span<const WantedRow> left(wanted);
    for (bool are_more = true; are_more && !is_cancelled_;) {
      left = send_rows(left);
      are_more = local_.exchange.end_superstep<std::uint64_t>(
          !left.empty(), [this](std::span<const std::uint64_t> rows) { take_rows(rows); },
          std::logical_or<bool>());
      over_list(local_.searches, tuning::kSearchGrain,
                [locals = locals_](std::span<const TrussSearch> part) {
                  if (is_cancelled()) return;
                  TrussSearcher(*locals).search(part);
                });
      local_.searches.clear();
      local_.came.clear();
      is_cancelled_ = local_.exchange.end_superstep<TrussChange>(
          is_cancelled(),
          [this](std::span<const TrussChange> changes) {
            for (const TrussChange& it : changes) change(local_, it);
          },
          std::logical_or<bool>());
    }
  }

  /// Sends the rows of owners, each with all its edges to a locale, as many as go in a portion.
  /// Returns what is left for others.
  std::span<const WantedRow> send_rows(std::span<const WantedRow> wanted) {
    const std::int64_t most = std::max<std::int64_t>(1, local_.block_arcs / locale_count());
    for (std::int64_t sent = 0; !wanted.empty() && sent < most;) {
      const int locale = wanted.front().locale;
      const VertexId owner = wanted.front().edge.owner;
      const auto send = [this, locale](std::uint64_t word) { local_.exchange.add(locale, word); };
      const auto same = [&](const WantedRow& w) {
        return w.locale == locale && w.edge.owner == owner;
      };
      const auto end = std::ranges::find_if_not(wanted, same);
      const std::span<const WantedRow> of_row(wanted.begin(), end);
      send(owner);
      send(of_row.size());
      for (const WantedRow& w : of_row) send(w.edge.other);
      const TrussRows& rows = local_.rows;
      std::vector<std::uint64_t> row;
      for (std::size_t arc = rows.begin(owner); arc < rows.end(owner); ++arc) {
        const PeelingRound removed = rows.removed(arc);
        if (removed >= local_.round)
          row.push_back(rows.neighbor(arc) | (removed == local_.round ? kGoes : 0));
      }
      send(row.size());
      for (const std::uint64_t word : row) send(word);
      sent += std::ssize(row);
      wanted = std::span(end, wanted.end());
    }
    return wanted;
  }
  void take_rows(std::span<const std::uint64_t> rows) {
    std::vector<std::uint64_t>& came = local_.came;
    std::size_t at = came.size();
    came.insert(came.end(), rows.begin(), rows.end());
    while (at < came.size()) {
      const auto owner = static_cast<VertexId>(came[at]);
      const std::size_t hubs = at + 2;
      const std::size_t row = hubs + came[at + 1];
      for (std::size_t hub = hubs; hub < row; ++hub)
        local_.searches.mine().push_back({static_cast<VertexId>(came[hub]), owner, row});
      at = row + 1 + came[row];
    }
  }

  const TrussParts locals_;
  TrussPart& local_;
  bool is_cancelled_ = false;  // as all locales have agreed at the end of a superstep
};

/// The arcs of the locale that has most.
std::int64_t most_arcs(const Graph& graph) {
  return reduce_locales(
      [graph] { return static_cast<std::int64_t>(graph.out().offset(graph.locale_end())); },
      std::ranges::max);
}

}  // namespace

TrussNumbersResult truss_numbers(const Graph& graph, const TrussOptions& options) {
  graph.require_live("truss numbers");
  graph.require_undirected("truss numbers");
  if (options.block_arcs <= 0) throw UsageError("truss numbers: block_arcs must be at least 1");
  TrussNumbersResult result;
  result.truss = graph.make_vertex_array_for_overwrite<TrussNumber>();
  const std::int64_t n = graph.vertex_count();
  const std::int64_t arcs = most_arcs(graph);
  const Owned rank = rank_by_degree(graph);
  const Owned lengths =
      Replica<VertexId>::create_for_overwrite(graph.vertices_per_core() * cores_per_locale());
  const Owned neighbors = Replica<VertexId>::create_for_overwrite(arcs);
  const Owned removed = Replica<PeelingRound>::create_for_overwrite(arcs);
  const Owned triangles = Replica<TrussNumber>::create_for_overwrite(arcs);
  const Owned marks = Replica<VertexId>::create(cores_per_locale() * n);
  const Owned exchange = Exchange::create();
  const Owned locals =
      TrussParts::create([graph, n, truss = *result.truss, rank = *rank, lengths = *lengths,
                          neighbors = *neighbors, removed = *removed, triangles = *triangles,
                          marks = *marks, exchange = *exchange, block_arcs = options.block_arcs] {
        TrussPart local{
            .graph = graph,
            .rows = TrussRows(graph, rank.data(), lengths.data(), neighbors.data(), removed.data(),
                              triangles.data()),
            .exchange = exchange,
            .block_arcs = block_arcs,
            .truss = truss.locale_part().data(),
            .cores = std::vector<TrussCore>(static_cast<std::size_t>(cores_per_locale()))};
        for (std::size_t core = 0; core < local.cores.size(); ++core)
          local.cores[core].marks = marks.data() + static_cast<std::int64_t>(core) * n;
        return local;
      });
  on_each_locale([locals = *locals] {
    locals->edges = Exchange::supersteps([&] { return TrussPeeling(locals).run(); });
  });
  if (!(*locals)->edges) throw Cancelled();
  result.edges = std::move(*(*locals)->edges);
  return result;
}

}  // namespace grappa::graph
