#pragma once

// A graph in memory: vertices 0 ... n-1 in blocks over the cores, and each vertex's edges with it.
//
//   const Owned<Graph> graph = build_graph(list, {.in_edges = true});  // build.hpp
//   const Owned<GlobalArray<double>> rank = graph->make_vertex_array<double>();
//   on_all_locales([web = *graph, rank = *rank] {
//     const Adjacency out = web.out();
//     forall_here(web.locale_begin(), web.locale_end(), [=](int64_t v) {
//       for (VertexId w : out.neighbors(v)) …
//     });
//   });
//
// The edges of a vertex lie on the locale of its home core, in compressed sparse rows: 64-bit
// offsets, and neighbors as VertexId, ascending in each row. An undirected edge is stored in the
// rows of both its ends (a self-loop once), and the in-edges of an undirected graph are its
// out-edges. Weights, if there are any, are in arrays of their own, in the narrowest type that
// holds them all (weights.hpp). The graph does not change once built, so all cores of a locale read
// it directly.
//
// The homes: core c has vertices [c * vertices_per_core(), …), a multiple of 64 each, so that a
// locale has consecutive vertices and whole words of a bitmap. make_vertex_array() makes arrays
// laid out the same way, padded behind vertex_count().
//
// The object is a handle: trivially copyable, captured by value. destroy() is called by one task
// and switches tasks, as make_vertex_array() does; nothing else here does. out(), in(),
// locale_begin() and locale_end() mean the locale of the caller. out(), in(), destroy(),
// make_vertex_array() and what takes a graph refuse a handle that was never built, was destroyed
// (also through a copy) or is of an earlier run: UsageError. So call out() once a loop.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>

#include "grappa/container/global_array.hpp"
#include "grappa/container/replica.hpp"
#include "grappa/graph/exec/tuning.hpp"
#include "grappa/graph/structure/vertex_id.hpp"
#include "grappa/graph/structure/weights.hpp"
#include "grappa/parallel/owned.hpp"
#include "grappa/parallel/runtime.hpp"

namespace grappa::graph {

/// The edges of this locale's vertices, in one direction.
class Adjacency {
 public:
  Adjacency() = default;
  /// `offsets`, `targets` and `weights` (null without) are of the locale whose first vertex is
  /// `first`.
  Adjacency(const std::uint64_t* offsets, const VertexId* targets, const std::byte* weights,
            std::int64_t first)
      : offsets_(offsets - first), targets_(targets), weights_(weights) {}

  std::int64_t degree(std::int64_t v) const {
    return static_cast<std::int64_t>(offsets_[v + 1] - offsets_[v]);
  }
  /// Where the row begins among the arcs of this locale; v may be one past the last vertex.
  std::uint64_t offset(std::int64_t v) const { return offsets_[v]; }
  std::span<const VertexId> neighbors(std::int64_t v) const {
    return {targets_ + offsets_[v], targets_ + offsets_[v + 1]};
  }

  /// The weights of the row, in the order of neighbors(). W is the C++ type for the graph's
  /// weight_type(), see visit_weights.
  template <class W>
  auto weights(std::int64_t v) const {
    if constexpr (std::is_same_v<W, UnitWeight>) {
      return UnitWeights();
    } else {
      return std::span<const W>(reinterpret_cast<const W*>(weights_) + offsets_[v],
                                reinterpret_cast<const W*>(weights_) + offsets_[v + 1]);
    }
  }

  /// The rows of all vertices below `end`, on one locale. [end + 1] and [arcs]
  std::span<const std::uint64_t> offsets(std::int64_t end) const {
    return {offsets_, offsets_ + end + 1};
  }
  std::span<const VertexId> targets(std::int64_t end) const {
    return {targets_, targets_ + offsets_[end]};
  }

  /// For vertices in no order: first the offset, and the row once the offset is in the cache. All
  /// that only prefetches is always inlined: GCC would remove the calls, as calls without effects.
  [[gnu::always_inline]] void prefetch_offset(std::int64_t v) const {
    __builtin_prefetch(offsets_ + v);
  }
  [[gnu::always_inline]] void prefetch_row(std::int64_t v) const {
    __builtin_prefetch(targets_ + offsets_[v]);
  }
  /// For vertices in order up to `end`, when only the first neighbors of each row are read: not all
  /// processors detect that pattern themselves.
  [[gnu::always_inline]] void prefetch_in_order(std::int64_t v, std::int64_t end) const {
    constexpr std::int64_t kAhead = tuning::kFirstLinesAhead;
    if (v + kAhead < end) prefetch_row(v + kAhead);
  }
  /// Prefetches the first cache lines of a row that will be read whole.
  [[gnu::always_inline]] void prefetch_lines(std::int64_t v) const {
    constexpr std::uint64_t kLine = 64 / sizeof(VertexId);
    const std::uint64_t end = std::min(offsets_[v + 1], offsets_[v] + tuning::kLinesOfRow * kLine);
    for (std::uint64_t i = offsets_[v]; i < end; i += kLine) __builtin_prefetch(targets_ + i);
  }

 private:
  const std::uint64_t* offsets_ = nullptr;  // shifted, so that the index is the vertex
  const VertexId* targets_ = nullptr;
  const std::byte* weights_ = nullptr;
};

/// For loops over rows in order: prefetches what lies a fixed distance after this row, as many
/// lines as the row has. Processors do so themselves when nothing but an array is read, but not all
/// of them when most reads are of neighbors' values.
[[gnu::always_inline]] inline void prefetch_behind(std::span<const VertexId> row) {
  constexpr std::size_t kLine = 64 / sizeof(VertexId);
  constexpr std::size_t kAhead = tuning::kLinesAhead * kLine;
  for (std::size_t i = 0; i < row.size(); i += kLine) __builtin_prefetch(row.data() + i + kAhead);
}

/// Those of a vertex. If the graph is undirected, all are the same.
enum class Edges : std::uint8_t { kIn, kOut, kBoth };

/// The rows of all vertices in one direction, on all locales; what Graph is made of.
struct GraphRows {
  Replica<std::uint64_t> offsets;  // a locale's copy: [its vertices + 1], from 0
  Replica<VertexId> targets;       // a locale's copy: the neighbors of its vertices
  Replica<std::byte> weights;      // theirs; not created without weights

  /// What was created of it.
  void destroy();
};

class Graph {
 public:
  Graph() = default;

  std::int64_t vertex_count() const { return vertex_count_; }
  /// Edges, each undirected one counted once.
  std::int64_t edge_count() const { return edge_count_; }
  /// Stored out-edges: edge_count() if directed, else twice that, less the self-loops.
  std::int64_t arc_count() const { return arc_count_; }
  bool is_directed() const { return directed_; }
  /// Whether in() may be called: always if undirected, else as asked for when building.
  bool has_in_edges() const { return !directed_ || has_in_rows_; }
  /// kNone without weights.
  WeightType weight_type() const { return weight_type_; }
  /// The range of all weights; of a graph without weights, [1, 1].
  const WeightRange& weight_range() const { return weight_range_; }

  /// Out-edges of this locale's vertices.
  Adjacency out() const {
    require_live("Graph::out");
    return view(out_);
  }
  /// In-edges of this locale's vertices.
  Adjacency in() const {
    require_live("Graph::in");
    return view(directed_ ? in_ : out_);
  }

  /// The same graph with its edges turned, without split hubs; itself if it is undirected. Lives as
  /// long as this one, which must have in-edges.
  Graph reversed() const;

  /// For what works on the graph, once each: UsageError unless the handle is live. `what` is that,
  /// `where` who called it.
  void require_live(const char* what, const internal::CallSite* where = nullptr) const {
    internal::require_live(id_, what, where);
  }
  /// UsageError unless v is a vertex of it; unless in() may be called; if it is directed.
  void require_vertex(const char* what, VertexId v) const;
  void require_in_edges(const char* what) const;
  void require_undirected(const char* what) const;

  // ---- where vertices live ----

  std::int64_t vertices_per_core() const { return per_core_; }
  int home(std::int64_t v) const { return static_cast<int>(by_core_.divide(as_unsigned(v))); }
  /// The vertices of a locale are [first_vertex_of(l), first_vertex_of(l + 1)).
  std::int64_t first_vertex_of(int locale) const {
    return std::min(vertex_count_, locale * (per_core_ * cores_per_locale()));
  }
  std::int64_t locale_begin() const { return first_vertex_of(this_locale()); }
  std::int64_t locale_end() const { return first_vertex_of(this_locale() + 1); }
  /// Those of the calling core, of which make_vertex_array()'s local() has the elements.
  std::int64_t core_begin() const { return std::min(vertex_count_, this_core() * per_core_); }
  std::int64_t core_end() const { return std::min(vertex_count_, core_begin() + per_core_); }

  /// An element for each vertex, at its home. Its locale_part() begins with locale_begin().
  template <class T>
  GlobalArray<T> make_vertex_array() const {
    require_live("Graph::make_vertex_array");
    return GlobalArray<T>::create(per_core_ * core_count());
  }
  /// The same without values, for a loop that writes every element first.
  template <class T>
  GlobalArray<T> make_vertex_array_for_overwrite() const {
    require_live("Graph::make_vertex_array_for_overwrite");
    return GlobalArray<T>::create_for_overwrite(per_core_ * core_count());
  }

  // ---- split hubs (push_edges.hpp) ----

  /// Whether a vertex with so many out-edges is split: if there are several locales, and at least
  /// BuildOptions::split_degree edges.
  bool is_split(std::size_t degree) const { return degree >= split_degree_; }
  /// All that are split, ascending.
  std::span<const VertexId> hubs() const {
    return hub_count_ == 0 ? std::span<const VertexId>() : hubs_.span();
  }
  std::uint64_t place_of_hub(VertexId v) const {
    return static_cast<std::uint64_t>(std::ranges::lower_bound(hubs(), v) - hubs().begin());
  }
  /// Out-edges from hubs of other locales to this locale's vertices, by place in hubs().
  Adjacency hub_rows() const { return view(hub_rows_, 0); }

  // ---- numbers ----

  /// Whether the builder numbered the vertices anew (BuildOptions::order).
  bool is_reordered() const { return reordered_; }
  /// The number of v in the list that the graph was built from; v itself unless is_reordered().
  VertexId given(VertexId v) const { return reordered_ ? given_.data()[v] : v; }
  /// The vertex that has this number in the list.
  VertexId vertex(VertexId given) const { return reordered_ ? vertex_.data()[given] : given; }

  /// Frees the graph's memory.
  void destroy();

 private:
  friend class GraphBuilder;
  friend class StoredGraphLoader;

  /// With homes for so many vertices, and nothing else yet. The handle is live.
  static Graph of_vertices(std::int64_t vertices);

  static std::uint64_t as_unsigned(std::int64_t v) { return static_cast<std::uint64_t>(v); }
  Adjacency view(const GraphRows& rows) const { return view(rows, locale_begin()); }
  Adjacency view(const GraphRows& rows, std::int64_t first) const {
    return Adjacency(rows.offsets.data(), rows.targets.data(),
                     weight_type_ == WeightType::kNone ? nullptr : rows.weights.data(), first);
  }

  std::int64_t vertex_count_ = 0;
  std::int64_t edge_count_ = 0;
  std::int64_t arc_count_ = 0;
  std::int64_t per_core_ = 64;
  internal::FastDivider by_core_;
  GraphRows out_;
  GraphRows in_;  // directed graphs only
  std::size_t split_degree_ = std::numeric_limits<std::size_t>::max();
  std::int64_t hub_count_ = 0;
  Replica<VertexId> hubs_;    // [hub_count_], the same everywhere; only where there are some
  GraphRows hub_rows_;        // [hub_count_] rows; only where there are some
  Replica<VertexId> vertex_;  // [vertices] by given number; only where reordered
  Replica<VertexId> given_;   // [vertices] by vertex; only where reordered
  bool reordered_ = false;
  bool directed_ = true;
  bool has_in_rows_ = false;
  WeightType weight_type_ = WeightType::kNone;
  WeightRange weight_range_{.least = 1, .greatest = 1};
  internal::HandleId id_;
};

}  // namespace grappa::graph
