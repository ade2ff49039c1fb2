#include "grappa/graph/kernel/degree_order.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <numeric>
#include <utility>

#include "grappa/graph/locale_parts.hpp"
#include "grappa/graph/locales.hpp"
#include "grappa/parallel/forall.hpp"

namespace grappa::graph {
namespace {

// Degrees below 8 are classes of their own; then each power of two has eight.
constexpr std::int64_t kClasses = 256;
constexpr std::int64_t kPartsPerCore = 4;

std::uint8_t class_of(std::int64_t degree) {
  const auto d = static_cast<std::uint64_t>(degree);
  if (d < 8) return static_cast<std::uint8_t>(d);
  const int exponent = std::bit_width(d) - 1;
  return static_cast<std::uint8_t>((exponent - 2) * 8 + static_cast<int>(d >> (exponent - 3) & 7));
}

std::int64_t stored_degree(const Graph& graph, std::int64_t v) {
  const std::int64_t out = graph.out().degree(v);
  return graph.is_directed() && graph.has_in_edges() ? out + graph.in().degree(v) : out;
}

/// Numbers the vertices of part k of `parts` from next[class] on.
struct Sort {
  std::int64_t n;
  std::int64_t parts;
  Replica<std::uint8_t> classes;
  Replica<std::uint32_t> next;  // [parts][classes]: first how many there are

  std::int64_t begin_of(std::int64_t part) const { return n * part / parts; }

  void count(std::int64_t part) const {
    std::uint32_t* const counts = next.data() + part * kClasses;
    const std::uint8_t* const class_of_vertex = classes.data();
    for (std::int64_t v = begin_of(part); v < begin_of(part + 1); ++v) ++counts[class_of_vertex[v]];
  }

  void add_up() const {
    std::uint32_t sum = 0;
    for (std::int64_t c = kClasses - 1; c >= 0; --c) {
      for (std::int64_t part = 0; part < parts; ++part)
        sum += std::exchange(next.data()[part * kClasses + c], sum);
    }
  }

  void number(std::int64_t part, VertexId* rank) const {
    std::uint32_t* const free = next.data() + part * kClasses;
    const std::uint8_t* const class_of_vertex = classes.data();
    for (std::int64_t v = begin_of(part); v < begin_of(part + 1); ++v)
      rank[v] = free[class_of_vertex[v]]++;
  }
};

}  // namespace

Replica<VertexId> rank_by_degree(const Graph& graph) {
  const std::int64_t n = graph.vertex_count();
  const auto rank = Replica<VertexId>::create_for_overwrite(n);
  auto classes = Replica<std::uint8_t>::create_for_overwrite(n);
  on_each_locale([graph, classes] {
    forall_range_here(graph.locale_begin(), graph.locale_end(),
                      [graph, classes](std::int64_t first, std::int64_t last) {
                        for (std::int64_t v = first; v < last; ++v)
                          classes.data()[v] = class_of(stored_degree(graph, v));
                      });
  });
  classes.share(vertices_of_locale(graph));
  const std::int64_t parts = kPartsPerCore * cores_per_locale();
  auto next = Replica<std::uint32_t>::create(parts * kClasses);
  on_each_locale([sort = Sort{n, parts, classes, next}, rank] {
    forall_here(0, sort.parts, {.grain = 1}, [sort](std::int64_t part) { sort.count(part); });
    sort.add_up();
    forall_here(0, sort.parts, {.grain = 1},
                [sort, rank](std::int64_t part) { sort.number(part, rank.data()); });
  });
  next.destroy();
  classes.destroy();
  return rank;
}

Replica<VertexId> rank_by_number(const Graph& graph) {
  const auto rank = Replica<VertexId>::create_for_overwrite(graph.vertex_count());
  on_each_locale([rank] { std::iota(rank.span().begin(), rank.span().end(), VertexId{0}); });
  return rank;
}

double mean_neighbor_degree(const Graph& graph) {
  struct Sums {
    double squares = 0;
    double degrees = 0;
  };
  auto sums = Replica<Sums>::create(1);
  Sums all;
  for (const Sums& part : gather_locales([graph, sums] {
         forall_range_here(graph.locale_begin(), graph.locale_end(),
                           [graph, sums](std::int64_t first, std::int64_t last) {
                             Sums mine;
                             for (std::int64_t v = first; v < last; ++v) {
                               const auto d = static_cast<double>(stored_degree(graph, v));
                               mine.squares += d * d;
                               mine.degrees += d;
                             }
                             Sums& here = *sums.data();
                             std::atomic_ref(here.squares).fetch_add(mine.squares);
                             std::atomic_ref(here.degrees).fetch_add(mine.degrees);
                           });
         return *sums.data();
       })) {
    all.squares += part.squares;
    all.degrees += part.degrees;
  }
  sums.destroy();
  return all.squares / std::max(1.0, all.degrees);
}

}  // namespace grappa::graph
