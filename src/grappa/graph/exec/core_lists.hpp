#pragma once

// One list for each core, which the cores of a locale fill and then go through together.
//
//   CoreLists<VertexId> next;                  // one for a locale, for all of its cores
//   next.mine().push_back(v);                  // by the core that runs it
//   forall_range_here(0, next.size(), [&next](int64_t first, int64_t last) {
//     next.for_range(first, last, [](std::span<const VertexId> part) { … });
//   });
//
// Made inside a run. Only tasks and delegates of a core use its mine(); everything else is for
// times when no core adds anything.

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "grappa/base/each_slice.hpp"
#include "grappa/graph/exec/locales.hpp"
#include "grappa/parallel/runtime.hpp"

namespace grappa::graph {

template <class T>
class CoreLists {
 public:
  CoreLists() : lists_(static_cast<std::size_t>(cores_per_locale())) {}

  std::vector<T>& mine() { return lists_[core_in_locale()].values; }
  /// The list of a core, counted from the first core of the locale.
  std::vector<T>& of(int core) { return lists_[static_cast<std::size_t>(core)].values; }

  std::int64_t size() const {
    std::int64_t sum = 0;
    for (const List& list : lists_) sum += std::ssize(list.values);
    return sum;
  }

  /// f(list, from, to) for elements [first, last) of all lists, as if these were joined: those of
  /// one list after another, with the list they are in.
  template <class F>
  void for_places(std::int64_t first, std::int64_t last, F f) const {
    internal::each_slice(
        lists_.size(), first, last, [this](std::size_t i) { return lists_[i].values.size(); },
        [&](std::size_t i, std::int64_t /*before*/, std::int64_t from, std::int64_t to) {
          f(std::span<const T>(lists_[i].values), from, to);
        });
  }

  /// f(span) for these elements: one contiguous span after another.
  template <class F>
  void for_range(std::int64_t first, std::int64_t last, F f) const {
    for_places(first, last, [&](std::span<const T> list, std::int64_t from, std::int64_t to) {
      f(list.subspan(static_cast<std::size_t>(from), static_cast<std::size_t>(to - from)));
    });
  }

  /// Empties the lists and keeps their memory.
  void clear() {
    for (List& list : lists_) list.values.clear();
  }
  friend void swap(CoreLists& a, CoreLists& b) noexcept { a.lists_.swap(b.lists_); }

 private:
  struct alignas(64) List {
    std::vector<T> values;
  };
  std::vector<List> lists_;
};

/// Makes what was collected for the next round what this one goes through; returns how much it is.
template <class T>
std::int64_t begin_round(CoreLists<T>& current, CoreLists<T>& next) {
  current.clear();
  swap(current, next);
  return current.size();
}

}  // namespace grappa::graph
