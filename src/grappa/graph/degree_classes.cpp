#include "grappa/graph/degree_classes.hpp"

#include <utility>

#include "grappa/graph/locales.hpp"
#include "grappa/parallel/forall.hpp"

namespace grappa::graph {
namespace {

constexpr std::int64_t kClasses = 256;
constexpr std::int64_t kPartsPerCore = 4;

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

Replica<VertexId> rank_by_class(const Replica<std::uint8_t>& classes, std::int64_t n) {
  const auto rank = Replica<VertexId>::create_for_overwrite(n);
  const std::int64_t parts = kPartsPerCore * cores_per_locale();
  auto next = Replica<std::uint32_t>::create(parts * kClasses);
  on_each_locale([sort = Sort{n, parts, classes, next}, rank] {
    forall_here(0, sort.parts, {.grain = 1}, [sort](std::int64_t part) { sort.count(part); });
    sort.add_up();
    forall_here(0, sort.parts, {.grain = 1},
                [sort, rank](std::int64_t part) { sort.number(part, rank.data()); });
  });
  next.destroy();
  return rank;
}

}  // namespace grappa::graph
