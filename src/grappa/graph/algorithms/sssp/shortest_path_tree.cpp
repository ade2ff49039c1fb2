#include "grappa/graph/algorithms/sssp/shortest_path_tree.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

#include "grappa/graph/exec/locales.hpp"
#include "grappa/graph/structure/internal/bitmap.hpp"
#include "grappa/graph/structure/internal/locale_parts.hpp"
#include "grappa/parallel/forall.hpp"

namespace grappa::graph {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

class TreeBuilder {
 public:
  TreeBuilder(const Graph& graph, VertexId source, const GlobalArray<double>& distance,
              Replica<double> copy, const GlobalArray<VertexId>& parent,
              Replica<std::uint64_t> waiting)
      : graph_(graph),
        source_(source),
        distance_(distance),
        copy_(copy),
        parent_(parent),
        waiting_(waiting) {}

  void build() {
    visit_weights(graph_.weight_type(), [this]<class W>(W) { find_parents<W>(); });
  }

 private:
  /// What a core reads and writes; arrays are indexed by the vertex.
  struct View {
    Adjacency in;
    const double* distance = nullptr;  // of all vertices
    VertexId* parent = nullptr;        // of those of the locale
    std::uint64_t* waiting = nullptr;  // of all: a bit where one is reached and has no parent yet
  };

  /// On the locale of the caller.
  View view() const {
    return {.in = graph_.in(),
            .distance = locale_count() == 1 ? distance_.locale_part().data() : copy_.data(),
            .parent = parent_.locale_part().data() - graph_.locale_begin(),
            .waiting = waiting_.data()};
  }

  template <class W>
  void find_parents() {
    forall_vertices(graph_, [self = *this](std::int64_t first, std::int64_t last) {
      const View view = self.view();
      for (std::int64_t v = first; v < last; ++v)
        view.parent[v] = first_parent<W>(view, self.source_, v);
    });
    for (std::int64_t before = std::numeric_limits<std::int64_t>::max();;) {
      const std::int64_t waiting = count_waiting();
      if (waiting == 0 || waiting == before) return;
      before = waiting;
      waiting_.all_gather(words_of_locale(graph_));
      hang_on_equals<W>();
    }
  }

  std::int64_t count_waiting() const {
    return reduce_locales([self = *this] {
      std::int64_t count = 0;
      for (std::int64_t w = self.word_begin(); w < self.word_end(); ++w)
        count += std::popcount(self.waiting_.data()[w]);
      return count;
    });
  }

  /// Those that wait and have a neighbor at their own distance which does not.
  template <class W>
  void hang_on_equals() {
    on_each_locale([self = *this] {
      self.for_waiting(
          [](const View& view, std::int64_t v) { view.parent[v] = equal_neighbor<W>(view, v); });
      // Only now: who waited when the round began does so until it ends.
      self.for_waiting([](const View& view, std::int64_t v) {
        if (view.parent[v] != kNoVertex)
          view.waiting[v / kBitsPerWord] &= ~(std::uint64_t{1} << (v % kBitsPerWord));
      });
    });
  }

  /// body(view, vertex) for the waiting vertices of this locale.
  template <class F>
  void for_waiting(F body) const {
    forall_range_here(word_begin(), word_end(),
                      [self = *this, body](std::int64_t first, std::int64_t last) {
                        const View view = self.view();
                        for_each_bit(view.waiting, first, last, [&](VertexId v) { body(view, v); });
                      });
  }

  /// None, and its bit set, where a reached vertex has no nearer neighbor.
  template <class W>
  static VertexId first_parent(const View& view, VertexId source, std::int64_t v) {
    if (v == source) return source;
    if (view.distance[v] == kInfinite) return kNoVertex;
    const VertexId parent = nearer_neighbor<W>(view, v);
    if (parent == kNoVertex) claim_bit(view.waiting, static_cast<std::uint64_t>(v));
    return parent;
  }

  template <class W>
  static VertexId nearer_neighbor(const View& view, std::int64_t v) {
    const double distance = view.distance[v];
    const std::span<const VertexId> row = view.in.neighbors(v);
    const auto weights = view.in.weights<W>(v);
    for (std::size_t i = 0; i < row.size(); ++i) {
      const double before = view.distance[row[i]];
      if (before < distance && before + weights[i] == distance) return row[i];
    }
    return kNoVertex;
  }

  template <class W>
  static VertexId equal_neighbor(const View& view, std::int64_t v) {
    const double distance = view.distance[v];
    const std::span<const VertexId> row = view.in.neighbors(v);
    const auto weights = view.in.weights<W>(v);
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (view.distance[row[i]] == distance && distance + weights[i] == distance &&
          !test_bit(view.waiting, row[i]))
        return row[i];
    }
    return kNoVertex;
  }

  std::int64_t word_begin() const { return bitmap_words(graph_.locale_begin()); }
  std::int64_t word_end() const { return bitmap_words(graph_.locale_end()); }

  Graph graph_;
  VertexId source_;
  GlobalArray<double> distance_;
  Replica<double> copy_;  // of the distances; several locales only
  GlobalArray<VertexId> parent_;
  Replica<std::uint64_t> waiting_;
};

/// The distances, on every locale.
Owned<Replica<double>> copy_of(const Graph& graph, const GlobalArray<double>& distance) {
  Owned copy = Replica<double>::create_for_overwrite(graph.vertex_count());
  on_all_locales([graph, distance, copy = *copy] {
    const std::span<const double> mine = distance.locale_part();
    const std::int64_t count = graph.locale_end() - graph.locale_begin();
    std::copy_n(mine.begin(), count, copy.data() + graph.locale_begin());
  });
  copy->all_gather(vertices_of_locale(graph));
  return copy;
}

}  // namespace

Owned<GlobalArray<VertexId>> shortest_path_tree(const Graph& graph, VertexId source,
                                                const GlobalArray<double>& distance) {
  graph.require_live("shortest_path_tree");
  distance.require_live("shortest_path_tree");
  graph.require_vertex("shortest_path_tree", source);
  graph.require_in_edges("shortest_path_tree");
  Owned parent = graph.make_vertex_array_for_overwrite<VertexId>();
  const Owned waiting = Replica<std::uint64_t>::create(bitmap_words(graph.vertex_count()));
  Owned<Replica<double>> copy;
  if (locale_count() > 1) copy = copy_of(graph, distance);
  TreeBuilder(graph, source, distance, *copy, *parent, *waiting).build();
  return parent;
}

}  // namespace grappa::graph
