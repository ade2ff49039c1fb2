#include "grappa/graph/build/internal/renumber.hpp"

#include <algorithm>
#include <bit>
#include <vector>

#include "grappa/graph/build/internal/degree_classes.hpp"
#include "grappa/graph/exec/locales.hpp"
#include "grappa/graph/generate/internal/id_permutation.hpp"
#include "grappa/graph/structure/internal/bitmap.hpp"
#include "grappa/graph/structure/internal/shared_values.hpp"
#include "grappa/parallel/forall.hpp"

namespace grappa::graph {
namespace {

using generate_detail::IdPermutation;

constexpr std::uint64_t kSeed = 1;
// Stripes of each locale. More of them spread a wave more evenly over the locales, and cut more
// edges.
constexpr std::int64_t kStripes = 16;

/// f(first, last, edges) for pieces of this locale's edges, on all of its cores.
template <class F>
void for_edges_here(const LocaleState<EdgeList>& part, F f) {
  forall_range_here(0, std::ssize(part->edges), [part, f](std::int64_t first, std::int64_t last) {
    Edge* const edges = part->edges.data();
    f(edges + first, edges + last);
  });
}

Replica<VertexId> by_degree(std::int64_t n, const LocaleState<EdgeList>& part) {
  Owned<Replica<VertexId>> degree = Replica<VertexId>::create(n);
  on_each_locale([part, degree = *degree] {
    for_edges_here(part, [degree](const Edge* first, const Edge* last) {
      const auto count = [&](VertexId v) { add_shared(degree.data()[v], 1); };
      for (const Edge* edge = first; edge != last; ++edge) {
        count(edge->source);
        count(edge->target);
      }
    });
  });
  degree->merge([](VertexId a, VertexId b) { return a + b; });
  const Owned<Replica<std::uint8_t>> classes = Replica<std::uint8_t>::create_for_overwrite(n);
  on_each_locale([n, classes = *classes, degree = *degree] {
    forall_here(0, n, [classes, degree](std::int64_t v) {
      classes.data()[v] = degree_class(degree.data()[v]);
    });
  });
  degree.reset();
  return rank_by_class(*classes, n);
}

/// A permutation of a power of two is applied until it comes to a number below n.
Replica<VertexId> at_random(std::int64_t n) {
  Owned<Replica<VertexId>> vertex = Replica<VertexId>::create_for_overwrite(n);
  on_each_locale([n, vertex = *vertex] {
    const int bits = std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(n - 1, 0)));
    forall_here(0, n, [n, vertex, permute = IdPermutation(kSeed, bits)](std::int64_t v) {
      VertexId to = permute(static_cast<std::uint64_t>(v));
      while (to >= n) to = permute(static_cast<std::uint64_t>(to));
      vertex.data()[v] = to;
    });
  });
  return vertex.release();
}

/// Ranks dealt to the locales, some words of a bitmap at a time, as long as they have room.
struct Deal {
  Replica<VertexId> words;  // in the order in which they are dealt
  std::int64_t at_a_time = 1;
  std::int64_t last_end = 0;  // the rank behind those of the graph's last word,
  std::int64_t short_by = 0;  // which has so many vertices fewer than others

  /// On every locale for itself.
  void fill(const Graph& graph) {
    const std::int64_t count = bitmap_words(graph.vertex_count());
    std::vector<std::int64_t> next;
    std::vector<std::int64_t> end;
    for (int locale = 0; locale < locale_count(); ++locale) {
      next.push_back(bitmap_words(graph.first_vertex_of(locale)));
      end.push_back(bitmap_words(graph.first_vertex_of(locale + 1)));
    }
    short_by = count * kBitsPerWord - graph.vertex_count();
    for (std::int64_t dealt = 0; dealt < count;) {
      for (std::size_t locale = 0; locale < next.size(); ++locale) {
        for (std::int64_t i = 0; i < at_a_time && next[locale] != end[locale]; ++i) {
          const std::int64_t word = next[locale]++;
          words.data()[dealt++] = static_cast<VertexId>(word);
          if (word == count - 1) last_end = dealt * kBitsPerWord - short_by;
        }
      }
    }
  }

  VertexId vertex_of(VertexId rank) const {
    const std::int64_t place = rank < last_end ? rank : rank + short_by;
    const std::int64_t word = words.data()[place / kBitsPerWord];
    return static_cast<VertexId>(word * kBitsPerWord + place % kBitsPerWord);
  }
};

}  // namespace

bool changes_numbers(VertexOrder order) {
  return order != VertexOrder::kGiven && (order != VertexOrder::kStriped || locale_count() > 1);
}

Replica<VertexId> number_vertices(const Graph& graph, VertexOrder order,
                                  const LocaleState<EdgeList>& part) {
  const std::int64_t n = graph.vertex_count();
  if (order == VertexOrder::kRandom) return at_random(n);
  const bool by_rank = order == VertexOrder::kByDegree;
  Owned<Replica<VertexId>> vertex =
      by_rank ? by_degree(n, part) : Replica<VertexId>::create_for_overwrite(n);
  if (by_rank && locale_count() == 1) return vertex.release();
  const std::int64_t count = bitmap_words(n);
  const Owned<Replica<VertexId>> words = Replica<VertexId>::create_for_overwrite(count);
  Deal deal{.words = *words, .at_a_time = by_rank ? 1 : count / (kStripes * locale_count()) + 1};
  on_each_locale([graph, n, vertex = *vertex, deal, by_rank]() mutable {
    deal.fill(graph);
    forall_here(0, n, [vertex, deal, by_rank](std::int64_t v) {
      VertexId& to = vertex.data()[v];
      to = deal.vertex_of(by_rank ? to : static_cast<VertexId>(v));
    });
  });
  return vertex.release();
}

Replica<VertexId> inverse_of(const Replica<VertexId>& permutation, std::int64_t n) {
  Owned<Replica<VertexId>> inverse = Replica<VertexId>::create_for_overwrite(n);
  on_each_locale([n, permutation, inverse = *inverse] {
    forall_here(0, n, [permutation, inverse](std::int64_t v) {
      inverse.data()[permutation.data()[v]] = static_cast<VertexId>(v);
    });
  });
  return inverse.release();
}

void renumber(const LocaleState<EdgeList>& part, const Replica<VertexId>& vertex) {
  on_each_locale([part, vertex] {
    for_edges_here(part, [vertex](Edge* first, Edge* last) {
      const VertexId* const to = vertex.data();
      for (Edge* edge = first; edge != last; ++edge) *edge = {to[edge->source], to[edge->target]};
    });
  });
}

}  // namespace grappa::graph
