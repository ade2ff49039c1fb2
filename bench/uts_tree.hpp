#pragma once

// The trees of the unbalanced tree search: how many children a node has, and how large the named
// trees are.
//
// The number of children follows from a node's random number and its depth. *Geometric* trees draw
// it from a geometric distribution whose mean depends on the depth: fixed above a last level, or
// cyclic (large and small by turns). *Binomial* trees have a wide root, below which a node has m
// children with probability q and else none; as the expected size of a subtree is the same
// everywhere, nothing about a node tells how much work hangs from it.
//
// Source: see uts_hash.hpp; the names and counts are those that the reference implementation
// publishes.

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

namespace grappa::bench {

/// What determines a tree.
struct UtsShape {
  enum class Kind : std::uint8_t { kFixed, kCyclic, kBinomial } kind;
  std::uint32_t seed;
  double root_children;     // geometric: the mean where it is fixed, and the base of the cycles
  int levels = 0;           // geometric: the last level (fixed), or the levels of a cycle
  double probability = 0;   // binomial: that a node has children,
  std::uint32_t width = 0;  // and how many then
};

struct UtsCounts {
  std::int64_t nodes = 0;
  std::int64_t leaves = 0;
  std::int64_t depth = 0;  // of the deepest node; the root's is 0

  void add(const UtsCounts& other);
  friend bool operator==(const UtsCounts&, const UtsCounts&) = default;
};

struct UtsTree {
  std::string_view name;
  UtsShape shape;
  UtsCounts counts;
};

std::span<const UtsTree> uts_trees();
/// The tree of that name; nullptr: there is none.
const UtsTree* find_uts_tree(std::string_view name);

/// A function of random numbers that goes up or down in steps, as a table: the logarithms of a
/// geometric distribution cost as much as a hash.
class UtsSteps {
 public:
  /// `formula` must be monotonic over the 31-bit numbers.
  explicit UtsSteps(const std::function<std::uint32_t(std::uint32_t random)>& formula);

  std::uint32_t operator()(std::uint32_t random) const {
    std::size_t step = first_step_[random >> kBucketShift];
    while (random >= steps_[step + 1].from) ++step;
    return steps_[step].value;
  }

 private:
  static constexpr int kBucketShift = 23;
  struct Step {
    std::uint32_t from;
    std::uint32_t value;
  };
  std::vector<Step> steps_;                     // the last one is never reached
  std::array<std::uint8_t, 256> first_step_{};  // of the numbers with these highest bits
};

/// The number of children of every node of a tree.
class UtsChildren {
 public:
  explicit UtsChildren(const UtsShape& shape);

  std::uint32_t operator()(std::uint32_t depth, std::uint32_t random) const {
    const std::size_t last = at_depth_.size() - 1;
    return at_depth_[depth < last ? depth : last](random);
  }

 private:
  std::vector<UtsSteps> at_depth_;  // the last one holds below, too
};

/// No node has more children, but the root of a binomial tree.
inline constexpr std::uint32_t kUtsMostChildren = 100;

}  // namespace grappa::bench
