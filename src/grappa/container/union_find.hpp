#pragma once

// UnionFind: sets of the numbers 0 … n-1, over all cores, that are united.
//
//   auto sets = UnionFind::create(1000);
//   forall(0, 999, [=](int64_t i) { if (i % 10 != 9) sets.async_unite(i, i + 1); });
//   const int64_t count = sets.set_count();                // 100
//   const bool same = sets.find(3) == sets.find(7);
//   sets.destroy();
//
// Every number has a parent that is not larger, up to the least of its set. A unite is a message
// that goes from home to home: where it is, it hooks a root under the other number, or else gives
// the number the smaller of the two parents and goes on with the larger one (Rem's algorithm with
// splicing: E. Dijkstra, "A discipline of programming", 1976; M. Patwary, J. Blair, F. Manne,
// "Experiments on union-find algorithms for the disjoint-set data structure", SEA 2010). Only a
// home writes its parents, so any number of unites may be under way; the larger of the two numbers
// gets smaller with every step, so each ends.
//
// unite and find switch tasks. While nobody unites, find returns the least number of the set;
// meanwhile, one of the set. create, destroy, clear, compress, set_count, component_sizes, save and
// load are called by one task. UsageError for numbers that are not there and handles that are not
// live.

#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "grappa/container/counting_map.hpp"
#include "grappa/container/global_array.hpp"

namespace grappa {

/// A handle of sets that are united.
class UnionFind {
 public:
  /// n sets of one number each.
  [[nodiscard("create returns the handle")]] static UnionFind create(std::int64_t n);
  void destroy();

  std::int64_t size() const { return parents_.size(); }

  /// Unites the sets of two numbers.
  void unite(std::int64_t a, std::int64_t b) const;
  /// The same, some time before the enclosing event (or this one) finishes.
  void async_unite(std::int64_t a, std::int64_t b) const;
  void async_unite(CompletionEvent& event, std::int64_t a, std::int64_t b) const;

  /// Those of each pair; in messages that carry many.
  void unite(std::span<const std::pair<std::int64_t, std::int64_t>> pairs) const;

  /// The number that stands for the set of a.
  std::int64_t find(std::int64_t a) const;
  bool is_united(std::int64_t a, std::int64_t b) const { return find(a) == find(b); }

  /// Gives every number the least one of its set for a parent: then find takes one step.
  void compress() const;
  std::int64_t set_count() const;
  /// The least number of each set, and how many there are in it; the caller destroys the map.
  /// Compresses.
  [[nodiscard("component_sizes returns the handle")]] CountingMap<std::int64_t> component_sizes()
      const;

  /// Makes every number a set of its own again.
  void clear() const;

  /// Writes the sets to a file, which appears whole or not at all; load() makes them again.
  void save(const std::string& path) const;
  [[nodiscard("load returns the handle")]] static UnionFind load(const std::string& path);

  /// Every number's parent: after compress(), the least number of its set.
  GlobalArray<std::int64_t> parents() const { return parents_; }

 private:
  struct Step;
  void unite_in(internal::CompletionShare* scope, std::int64_t a, std::int64_t b) const;

  GlobalArray<std::int64_t> parents_;
};

}  // namespace grappa
