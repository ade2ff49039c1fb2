// Triangles u > v > w, by the order of the vertices, are found from u: the neighbors of u below
// it are marked, and for each such v the marked neighbors w below v are counted.
//
// The work is the sum of the lengths of the rows that are looked at, which the order decides. Where
// degrees differ, ordering by degree saves most of it; else the vertices' numbers are the order.
// Counting is done on rows made for it, of the neighbors below (triangle_counter.cpp). Where the
// neighbors of vertices have few neighbors themselves, as in grids and road maps, making such rows
// would take longer than counting: then the graph's own rows, which are sorted, are read as far as
// they are below. What tells the two apart is the mean degree of the end of an edge, which is what
// a row that is looked at has. On several locales the graph's own rows are read where most
// neighbors are on the same locale: those of the others are fetched before (halo_rows.hpp).
#include "grappa/graph/algorithms/triangles/triangles.hpp"

#include <span>
#include <utility>
#include <vector>

#include "grappa/container/replica.hpp"
#include "grappa/delegate/delegate.hpp"
#include "grappa/graph/algorithms/internal/neighborhood.hpp"
#include "grappa/graph/algorithms/triangles/internal/degree_order.hpp"
#include "grappa/graph/algorithms/triangles/internal/halo_rows.hpp"
#include "grappa/graph/algorithms/triangles/internal/triangle_counter.hpp"
#include "grappa/graph/exec/locales.hpp"
#include "grappa/graph/exec/tuning.hpp"
#include "grappa/graph/structure/internal/bitmap.hpp"
#include "grappa/graph/structure/internal/halo.hpp"
#include "grappa/graph/structure/internal/shared_values.hpp"
#include "grappa/parallel/cancellation.hpp"
#include "grappa/parallel/forall.hpp"
#include "grappa/parallel/locale_state.hpp"

namespace grappa::graph {
namespace {

/// By vertex; no elements for the total only.
using Counts = GlobalArray<std::uint64_t>;

/// Triangles of a vertex of another locale, for its count.
struct CountMessage {
  Graph graph;
  Counts counts;
  std::uint64_t vertex;
  std::uint64_t triangles;

  void operator()() const {
    const std::int64_t v = untagged(vertex);
    add_shared(counts.locale_part()[static_cast<std::size_t>(v - graph.locale_begin())], triangles);
  }
};

/// What a core works with. kHalo: some neighbors are on other locales.
template <bool kHalo>
class Scratch {
 public:
  /// `marks`: a bitmap of all vertices, for this core. `halo`: null on one locale.
  Scratch(const Graph& graph, const Counts& counts, std::uint64_t* marks, const HaloRows* halo)
      : marks_(marks),
        out_(graph.out()),
        graph_(graph),
        begin_(graph.locale_begin()),
        counts_(counts),
        mine_(counts.size() > 0 ? counts.locale_part().data() - begin_ : nullptr),
        halo_(halo) {}

  std::uint64_t* marks() const { return marks_; }  // for the neighbors of u below it

  bool by_vertex() const { return mine_ != nullptr; }

  /// The neighbors of v; on another locale those below it.
  std::span<const VertexId> neighbors(VertexId v) const {
    return is_mine(v) ? out_.neighbors(v) : halo_->below(v);
  }
  void prefetch_offset(VertexId v) const {
    if (is_mine(v)) out_.prefetch_offset(v);
  }
  void prefetch_row(VertexId v) const {
    if (is_mine(v)) out_.prefetch_row(v);
  }

  void add(VertexId v, std::uint64_t by) {
    if (by == 0) return;
    if (is_mine(v)) {
      add_shared(mine_[v], by);
    } else {
      away_.push_back({v, by});
    }
  }
  /// Sends what was counted for others. May switch tasks, and then `marks` may be used.
  void send_away() {
    for (const Counted& c : std::exchange(away_, {}))
      delegate::async::call(graph_.home(c.vertex),
                            CountMessage{graph_, counts_, c.vertex | kVertexTag, c.triangles});
  }

 private:
  bool is_mine(VertexId v) const { return !kHalo || v >= begin_; }

  struct Counted {
    VertexId vertex;
    std::uint64_t triangles;
  };
  std::uint64_t* const marks_;
  const Adjacency out_;
  const Graph graph_;
  const std::int64_t begin_;
  const Counts counts_;
  std::uint64_t* const mine_;  // of this locale's vertices, shifted; null for the total only
  const HaloRows* const halo_;
  std::vector<Counted> away_;
};

/// Triangles u, v, * for all v in the row of u, its neighbors below it: is_in_row(w, i) tells
/// whether w is one of them, for w below row[i].
template <bool kByVertex, bool kHalo, class IsInRow>
std::uint64_t count_pairs(Scratch<kHalo>& scratch, std::span<const VertexId> row,
                          IsInRow is_in_row) {
  std::uint64_t triangles = 0;
  for (std::size_t i = 1; i < row.size(); ++i) {
    if (i + tuning::kMatchedOffsetsAhead < row.size())
      scratch.prefetch_offset(row[i + tuning::kMatchedOffsetsAhead]);
    if (i + tuning::kMatchedRowsAhead < row.size())
      scratch.prefetch_row(row[i + tuning::kMatchedRowsAhead]);
    const VertexId v = row[i];
    if (v == row[i - 1]) continue;
    std::uint64_t of_v = 0;
    VertexId last = v;
    for (const VertexId w : scratch.neighbors(v)) {
      if (w >= v) break;
      const bool found = is_in_row(w, i) && w != last;
      of_v += found;
      if constexpr (kByVertex) scratch.add(w, found);
      last = w;
    }
    triangles += of_v;
    if constexpr (kByVertex) scratch.add(v, of_v);
  }
  return triangles;
}

template <bool kByVertex, bool kHalo>
std::uint64_t count_row(Scratch<kHalo>& scratch, VertexId u) {
  std::span<const VertexId> row = scratch.neighbors(u);
  if (row.size() < 2 || row[1] >= u) return 0;
  std::uint64_t triangles = 0;
  if (row.size() <= tuning::kComparedEntries) {
    std::size_t below = 2;
    while (below < row.size() && row[below] < u) ++below;
    row = row.first(below);
    triangles = count_pairs<kByVertex>(scratch, row, [row](VertexId w, std::size_t i) {
      bool found = false;
      for (std::size_t k = 0; k < i; ++k) found |= row[k] == w;
      return found;
    });
  } else {
    stop_if_cancelled();  // not at short rows, whose time it would be
    std::uint64_t* const marks = scratch.marks();
    std::size_t below = 0;
    for (; below < row.size() && row[below] < u; ++below)
      marks[row[below] / 64] |= std::uint64_t{1} << row[below] % 64;
    row = row.first(below);
    triangles = count_pairs<kByVertex>(
        scratch, row, [marks](VertexId w, std::size_t) { return test_bit(marks, w); });
    for (const VertexId v : row) marks[v / 64] = 0;
  }
  if constexpr (kByVertex) scratch.add(u, triangles);
  return triangles;
}

/// The vertices of other locales whose rows are needed: neighbors of u below it, but the first.
Owned<Halo> halo_of(const Graph& graph) {
  const Owned marks = Replica<std::uint64_t>::create(bitmap_words(graph.vertex_count()));
  forall_vertices(graph, [graph, marks = *marks](std::int64_t first, std::int64_t last) {
    const std::int64_t begin = graph.locale_begin();
    const Adjacency out = graph.out();
    for (std::int64_t u = first; u < last; ++u) {
      out.prefetch_in_order(u, last);
      const std::span<const VertexId> row = out.neighbors(u);
      for (std::size_t i = 1; i < row.size() && row[i] < begin; ++i) {
        if (!test_bit_shared(marks.data(), row[i])) claim_bit(marks.data(), row[i]);
      }
    }
  });
  return Halo::of_marked(graph, *marks);
}

/// In the order of the vertices' numbers, on the graph's own rows. The counts are 0 at first.
template <bool kHalo>
std::uint64_t count_in_place(const Graph& graph, const Counts& counts) {
  const std::int64_t words = (bitmap_words(graph.vertex_count()) + 7) / 8 * 8;
  const Owned marks = Replica<std::uint64_t>::create(cores_per_locale() * words);
  const Owned sum = LocaleState<std::uint64_t>::create();
  Owned<LocaleState<HaloRows>> rows;
  if constexpr (kHalo) rows = HaloRows::fetch(graph, *halo_of(graph));
  forall_vertices(graph, [graph, counts, marks = *marks, words, sum = *sum, rows = *rows](
                             std::int64_t first, std::int64_t last) {
    const auto core = static_cast<std::int64_t>(core_in_locale());
    Scratch<kHalo> scratch(graph, counts, marks.data() + core * words, kHalo ? &*rows : nullptr);
    std::uint64_t triangles = 0;
    const Adjacency out = graph.out();
    for (std::int64_t u = first; u < last; ++u) {
      out.prefetch_in_order(u, last);
      const auto v = static_cast<VertexId>(u);
      triangles += scratch.by_vertex() ? count_row<true>(scratch, v) : count_row<false>(scratch, v);
    }
    add_shared(*sum, triangles);
    scratch.send_away();
  });
  return reduce_locales([sum = *sum] { return *sum; });
}

}  // namespace

TriangleResult triangles(const Graph& graph, const TriangleOptions& options) {
  graph.require_live("triangles");
  graph.require_undirected("triangles");
  check_options(options);
  const MeanDegrees degrees = mean_degrees(graph);
  TriangleResult result{.count = {}, .total = 0, .per_vertex = options.per_vertex};
  const bool in_place =
      degrees.of_ends <= options.rows_above && (locale_count() == 1 || is_mostly_local(graph));
  if (options.per_vertex) {
    result.count = in_place ? graph.make_vertex_array<std::uint64_t>()
                            : graph.make_vertex_array_for_overwrite<std::uint64_t>();
  }
  if (in_place) {
    result.total = locale_count() == 1 ? count_in_place<false>(graph, *result.count)
                                       : count_in_place<true>(graph, *result.count);
  } else {
    const auto weight = options.per_vertex ? TriangleWeight::kOne : TriangleWeight::kTotal;
    result.total = count_on_rows(graph, weight, degrees.differ(), options, *result.count);
  }
  return result;
}

Clustering clustering_of(const Graph& graph, const TriangleResult& result) {
  struct Sums {
    std::uint64_t wedges = 0;
    double coefficients = 0;
    Sums operator+(const Sums& other) const {
      return {wedges + other.wedges, coefficients + other.coefficients};
    }
  };
  const Sums all = reduce_locales([graph, per_vertex = result.per_vertex, count = *result.count] {
    Sums sums;
    const Neighborhood near(graph);
    const std::int64_t begin = graph.locale_begin();
    for (std::int64_t v = begin; v < graph.locale_end(); ++v) {
      const auto degree = static_cast<std::uint64_t>(near.size(v));
      if (degree < 2) continue;
      const std::uint64_t wedges = degree * (degree - 1) / 2;
      sums.wedges += wedges;
      if (!per_vertex) continue;
      const auto at = static_cast<std::size_t>(v - begin);
      sums.coefficients +=
          static_cast<double>(count.locale_part()[at]) / static_cast<double>(wedges);
    }
    return sums;
  });
  Clustering clustering{.wedges = all.wedges};
  if (all.wedges > 0)
    clustering.global = 3.0 * static_cast<double>(result.total) / static_cast<double>(all.wedges);
  if (graph.vertex_count() > 0)
    clustering.average = all.coefficients / static_cast<double>(graph.vertex_count());
  return clustering;
}

}  // namespace grappa::graph
