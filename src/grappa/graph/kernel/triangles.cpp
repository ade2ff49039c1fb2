// Triangles u > v > w, by the order of the vertices, are found from u: the neighbours of u below
// it are marked, and for each such v the marked neighbours w below v are counted.
//
// The work is the sum of the lengths of the rows that are looked at, which the order decides. Where
// degrees differ, ordering by degree saves most of it, and pays for rows of its own
// (triangle_counter.cpp). Where the neighbours of vertices have few neighbours themselves, as in
// grids, road maps and uniform random graphs, making such rows would take longer than counting:
// then the vertices' numbers are the order, and the graph's own rows, which are sorted, are read as
// far as they are below. What tells the two apart is the mean degree of the end of an edge, which
// is what a row that is looked at has.
#include "grappa/graph/kernel/triangles.hpp"

#include <atomic>
#include <span>

#include "grappa/base/error.hpp"
#include "grappa/container/replica.hpp"
#include "grappa/graph/bitmap.hpp"
#include "grappa/graph/kernel/degree_order.hpp"
#include "grappa/graph/kernel/neighborhood.hpp"
#include "grappa/graph/kernel/triangle_counter.hpp"
#include "grappa/graph/locales.hpp"
#include "grappa/parallel/forall.hpp"

namespace grappa::graph {
namespace {

// Rows of so many entries are compared with, entry by entry, rather than marked.
constexpr std::size_t kFew = 8;
// How many neighbours ahead a row, and before that its offset, is prefetched.
constexpr std::size_t kPrefetchRow = 8;
constexpr std::size_t kPrefetchOffset = 16;

/// What a core works with.
struct Scratch {
  Adjacency out;
  std::uint64_t* marks;   // bitmap of all vertices: the neighbours of u below it
  std::uint64_t* counts;  // of all vertices; null for the total only

  void add(VertexId v, std::uint64_t by) const {
    if (by == 0) return;
    std::atomic_ref(counts[v]).fetch_add(by, std::memory_order_relaxed);
  }
};

/// Triangles u, v, * for all v in the row of u, its neighbours below it: is_in_row(w, i) tells
/// whether w is one of them, for w below row[i].
template <bool kByVertex, class IsInRow>
std::uint64_t count_pairs(const Scratch& scratch, std::span<const VertexId> row,
                          IsInRow is_in_row) {
  std::uint64_t triangles = 0;
  for (std::size_t i = 1; i < row.size(); ++i) {
    if (i + kPrefetchOffset < row.size()) scratch.out.prefetch_offset(row[i + kPrefetchOffset]);
    if (i + kPrefetchRow < row.size()) scratch.out.prefetch_row(row[i + kPrefetchRow]);
    const VertexId v = row[i];
    if (v == row[i - 1]) continue;
    std::uint64_t of_v = 0;
    VertexId last = v;
    for (const VertexId w : scratch.out.neighbors(v)) {
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

template <bool kByVertex>
std::uint64_t count_row(const Scratch& scratch, VertexId u) {
  std::span<const VertexId> row = scratch.out.neighbors(u);
  if (row.size() < 2 || row[1] >= u) return 0;
  std::uint64_t triangles = 0;
  if (row.size() <= kFew) {
    std::size_t below = 2;
    while (below < row.size() && row[below] < u) ++below;
    row = row.first(below);
    triangles = count_pairs<kByVertex>(scratch, row, [row](VertexId w, std::size_t i) {
      bool found = false;
      for (std::size_t k = 0; k < i; ++k) found |= row[k] == w;
      return found;
    });
  } else {
    std::uint64_t* const marks = scratch.marks;
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

/// On one locale, in the order of the vertices' numbers, on the graph's own rows. The
/// result's counts, if it has any, are 0 at first.
std::uint64_t count_in_place(const Graph& graph, const TriangleResult& result) {
  const std::int64_t words = (bitmap_words(graph.vertex_count()) + 7) / 8 * 8;
  auto marks = Replica<std::uint64_t>::create(core_count() * words);
  auto sum = Replica<std::uint64_t>::create(1);
  forall_range_here(0, graph.vertex_count(),
                    [graph, result, marks, words, sum](std::int64_t first, std::int64_t last) {
                      const Scratch scratch{.out = graph.out(),
                                            .marks = marks.data() + this_core() * words,
                                            .counts = result.per_vertex
                                                          ? result.count.locale_part().data()
                                                          : nullptr};
                      std::uint64_t triangles = 0;
                      for (std::int64_t u = first; u < last; ++u) {
                        const auto v = static_cast<VertexId>(u);
                        triangles += scratch.counts == nullptr ? count_row<false>(scratch, v)
                                                               : count_row<true>(scratch, v);
                      }
                      std::atomic_ref(*sum.data()).fetch_add(triangles, std::memory_order_relaxed);
                    });
  const std::uint64_t total = *sum.data();
  marks.destroy();
  sum.destroy();
  return total;
}

}  // namespace

void TriangleResult::destroy() {
  if (per_vertex) count.destroy();
  *this = TriangleResult();
}

TriangleResult triangles(const Graph& graph, const TriangleOptions& options) {
  if (graph.is_directed()) throw UsageError("triangles: the graph is directed");
  check_options(options);
  const bool by_degree = mean_neighbor_degree(graph) > options.order_above;
  TriangleResult result{.count = {}, .total = 0, .per_vertex = options.per_vertex};
  const bool in_place = locale_count() == 1 && !by_degree;
  if (options.per_vertex) {
    result.count = in_place ? graph.make_vertex_array<std::uint64_t>()
                            : graph.make_vertex_array_for_overwrite<std::uint64_t>();
  }
  if (in_place) {
    result.total = count_in_place(graph, result);
  } else {
    const auto weight = options.per_vertex ? TriangleWeight::kOne : TriangleWeight::kTotal;
    result.total = count_on_rows(graph, weight, by_degree, options, result.count);
  }
  return result;
}

Clustering clustering_of(const Graph& graph, const TriangleResult& result) {
  struct Sums {
    std::uint64_t wedges = 0;
    double coefficients = 0;
  };
  Sums all;
  for (const Sums& part : gather_locales([graph, result] {
         Sums sums;
         const Neighborhood near(graph);
         const std::int64_t begin = graph.locale_begin();
         for (std::int64_t v = begin; v < graph.locale_end(); ++v) {
           const auto degree = static_cast<std::uint64_t>(near.size(v));
           if (degree < 2) continue;
           const std::uint64_t wedges = degree * (degree - 1) / 2;
           sums.wedges += wedges;
           if (!result.per_vertex) continue;
           const auto at = static_cast<std::size_t>(v - begin);
           sums.coefficients +=
               static_cast<double>(result.count.locale_part()[at]) / static_cast<double>(wedges);
         }
         return sums;
       })) {
    all.wedges += part.wedges;
    all.coefficients += part.coefficients;
  }
  Clustering clustering{.wedges = all.wedges};
  if (all.wedges > 0)
    clustering.global = 3.0 * static_cast<double>(result.total) / static_cast<double>(all.wedges);
  if (graph.vertex_count() > 0)
    clustering.average = all.coefficients / static_cast<double>(graph.vertex_count());
  return clustering;
}

}  // namespace grappa::graph
