#pragma once

// How the cores of a locale divide a level of a search, which goes from the vertices of a queue to
// their neighbors, and what they append to the queue meanwhile (vertex_queue.hpp).
//
// The cache lines that a level touches, of the vertices' rows and values, are mostly those of the
// level before: neighbors' neighbors. Where each level is short, as in grids and road maps, moving
// them between the cores' caches would take longer than the work. So one core does a short level,
// and all cores do a longer one in the order of the queue: each core has the vertices next to those
// it had in the level before, and what it finds takes the place of its own part in the queue. Large
// levels, which do not fit in the caches, are divided into grains for whichever core is free.

#include <algorithm>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "grappa/graph/exec/core_lists.hpp"
#include "grappa/graph/exec/tuning.hpp"
#include "grappa/graph/exec/vertex_queue.hpp"
#include "grappa/parallel/forall.hpp"

namespace grappa::graph {

enum class Division { kNone, kInOrder, kByGrains };

template <Division kDivision>
using DivisionConstant = std::integral_constant<Division, kDivision>;

/// The division of a level with so many out-edges.
inline Division division_of(std::int64_t arcs) {
  if (arcs > tuning::kInOrderArcs) return Division::kByGrains;
  return cores_per_locale() == 1 || arcs <= tuning::kSerialLevelArcs ? Division::kNone
                                                                     : Division::kInOrder;
}

/// Runs body(first, last) for ranges that cover entries [begin, end) of the queue.
template <class F>
void for_window(std::int64_t begin, std::int64_t end, Division division, F body) {
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
      forall_range_here(begin, end, {.grain = tuning::kVertexGrain}, body);
      break;
  }
}

/// Calls run(DivisionConstant) with the division that tells the search which operations must be
/// atomic. kNone: none, since the only core of a locale works alone. But no core works alone while
/// visits from other locales arrive, which run on all cores.
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

/// Takes the vertices that a part of a level finds: to the queue, or to a list of the core, which
/// append_lists() moves to the queue.
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

/// Call it when the level is over.
inline void append_lists(CoreLists<VertexId>& found, std::int64_t& tail, VertexId* queue) {
  found.for_range(0, found.size(), [&](std::span<const VertexId> list) {
    std::ranges::copy(list, queue + tail);
    tail += std::ssize(list);
  });
  found.clear();
}

}  // namespace grappa::graph
