#pragma once

// How the cores of a locale share out a level of a search that goes from the vertices of a queue to
// their neighbors, and what they append to the queue meanwhile (vertex_queue.hpp).
//
// The lines that a level touches, of the vertices' rows and values, are mostly those of the level
// before: neighbors' neighbors. Where each level is short, as in grids and road maps, moving them
// between the cores' caches would take longer than the work. So a short level is done by one core,
// and a longer one by all in the order of the queue: each core has the vertices next to those it
// had in the level before, and what it finds comes in the queue where its own part was. Large
// levels, which do not fit in the caches, go by grains to whoever is free.

#include <algorithm>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "grappa/graph/core_lists.hpp"
#include "grappa/graph/vertex_queue.hpp"
#include "grappa/parallel/forall.hpp"

namespace grappa::graph {

enum class Division { kNone, kInOrder, kByGrains };

template <Division kDivision>
using DivisionConstant = std::integral_constant<Division, kDivision>;

/// Of a level with so many out-edges.
inline Division division_of(std::int64_t arcs) {
  constexpr std::int64_t kSerialArcs = 1 << 10;
  constexpr std::int64_t kInOrderArcs = 1 << 15;
  if (arcs > kInOrderArcs) return Division::kByGrains;
  return cores_per_locale() == 1 || arcs <= kSerialArcs ? Division::kNone : Division::kInOrder;
}

/// Runs body(first, last) for parts of entries [begin, end) of the queue.
template <class F>
void for_window(std::int64_t begin, std::int64_t end, Division division, F body) {
  constexpr std::int64_t kGrain = 64;
  switch (division) {
    case Division::kNone:
      body(begin, end);
      break;
    case Division::kInOrder:
      forall_here(0, cores_per_locale(), {.grain = 1}, [begin, end, body](std::int64_t core) {
        const std::int64_t cores = cores_per_locale();
        body(begin + (end - begin) * core / cores, begin + (end - begin) * (core + 1) / cores);
      });
      break;
    case Division::kByGrains:
      forall_range_here(begin, end, {.grain = kGrain}, body);
      break;
  }
}

/// Calls run(DivisionConstant) for a level's division, as seen from the search: the only core of a
/// locale is alone, and none is where visits from other locales are run by all cores meanwhile.
template <class F>
void with_division(Division division, bool visits_arrive, F run) {
  if (cores_per_locale() == 1 || (division == Division::kNone && !visits_arrive)) {
    run(DivisionConstant<Division::kNone>{});
  } else if (division == Division::kInOrder) {
    run(DivisionConstant<Division::kInOrder>{});
  } else {
    run(DivisionConstant<Division::kByGrains>{});
  }
}

/// Where the vertices go that a part of a level finds: to the queue, or for append_lists() to a
/// list of the core.
template <Division kDivision>
class LevelWriter {
 public:
  LevelWriter(std::int64_t& tail, VertexId* queue, CoreLists<VertexId>&) : writer_(tail, queue) {}
  void push(VertexId v) { writer_.push(v); }

 private:
  QueueWriter writer_;
};
template <>
class LevelWriter<Division::kInOrder> {
 public:
  LevelWriter(std::int64_t&, VertexId*, CoreLists<VertexId>& found) : list_(found.mine()) {}
  void push(VertexId v) { list_.push_back(v); }

 private:
  std::vector<VertexId>& list_;
};

/// To be called when the level is over.
inline void append_lists(CoreLists<VertexId>& found, std::int64_t& tail, VertexId* queue) {
  found.for_range(0, found.size(), [&](std::span<const VertexId> list) {
    std::ranges::copy(list, queue + tail);
    tail += std::ssize(list);
  });
  found.clear();
}

}  // namespace grappa::graph
