#include "bench/uts_tree.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace grappa::bench {
namespace {

using Kind = UtsShape::Kind;

constexpr std::uint32_t kMaxRandom = 0x7fffffff;

constexpr UtsTree geometric(std::string_view name, Kind kind, int levels, double mean,
                            std::uint32_t seed, const UtsCounts& counts) {
  return {name, {kind, seed, mean, levels}, counts};
}

constexpr UtsTree binomial(std::string_view name, double root_children, double probability,
                           std::uint32_t width, std::uint32_t seed, const UtsCounts& counts) {
  return {name, {Kind::kBinomial, seed, root_children, 0, probability, width}, counts};
}

// Nodes, leaves, depth. All are published, but for the leaves of T1XXL, which we have counted.
constexpr UtsTree kTrees[] = {
    geometric("T1", Kind::kFixed, 10, 4, 19, {4'130'071, 3'305'118, 10}),
    geometric("T1L", Kind::kFixed, 13, 4, 29, {102'181'082, 81'746'377, 13}),
    geometric("T1XL", Kind::kFixed, 15, 4, 29, {1'635'119'272, 1'308'100'063, 15}),
    geometric("T1XXL", Kind::kFixed, 15, 4, 19, {4'230'646'601, 3'384'495'738, 15}),
    geometric("T2", Kind::kCyclic, 16, 6, 502, {4'117'769, 2'342'762, 81}),
    geometric("T2L", Kind::kCyclic, 23, 7, 220, {96'793'510, 53'791'152, 67}),
    binomial("T3", 2000, 0.124875, 8, 42, {4'112'897, 3'599'034, 1'572}),
    binomial("T3L", 2000, 0.200014, 5, 7, {111'345'631, 89'076'904, 17'844}),
    // Ours, to see quickly that all works; counted by the recursion of uts_tree_test.cpp.
    geometric("tiny", Kind::kFixed, 7, 4, 1, {28'061, 22'424, 7}),
};

/// The mean of a geometric tree's number of children.
double mean_children(const UtsShape& shape, int depth) {
  if (shape.kind == Kind::kFixed) return depth < shape.levels ? shape.root_children : 0;
  if (depth == 0) return shape.root_children;
  if (depth > 5 * shape.levels) return 0;
  return std::pow(shape.root_children, std::sin(2 * std::numbers::pi * depth / shape.levels));
}

std::uint32_t geometric_children(double mean, double uniform) {
  const double failure = 1 / (1 + mean);
  const double children = std::floor(std::log(1 - uniform) / std::log(1 - failure));
  return static_cast<std::uint32_t>(std::min<double>(children, kUtsMostChildren));
}

double uniform_of(std::uint32_t random) { return random / 2147483648.0; }

}  // namespace

void UtsCounts::add(const UtsCounts& other) {
  nodes += other.nodes;
  leaves += other.leaves;
  depth = std::max(depth, other.depth);
}

std::span<const UtsTree> uts_trees() { return kTrees; }

const UtsTree* find_uts_tree(std::string_view name) {
  const auto* found = std::ranges::find(kTrees, name, &UtsTree::name);
  return found == std::end(kTrees) ? nullptr : found;
}

UtsSteps::UtsSteps(const std::function<std::uint32_t(std::uint32_t)>& formula) {
  for (std::uint32_t from = 0; from <= kMaxRandom;) {
    const std::uint32_t value = formula(from);
    steps_.push_back({from, value});
    // The first number with another value, by bisection.
    std::uint32_t same = from;
    std::uint32_t other = kMaxRandom + 1;
    while (other - same > 1) {
      const std::uint32_t middle = same + (other - same) / 2;
      (formula(middle) == value ? same : other) = middle;
    }
    from = other;
  }
  steps_.push_back({std::numeric_limits<std::uint32_t>::max(), 0});
  std::size_t step = 0;
  for (std::size_t bucket = 0; bucket < first_step_.size(); ++bucket) {
    while (bucket << kBucketShift >= steps_[step + 1].from) ++step;
    first_step_[bucket] = static_cast<std::uint8_t>(step);
  }
}

UtsChildren::UtsChildren(const UtsShape& shape) {
  if (shape.kind == Kind::kBinomial) {
    const auto root = static_cast<std::uint32_t>(shape.root_children);
    at_depth_.emplace_back([=](std::uint32_t) { return root; });
    at_depth_.emplace_back([=](std::uint32_t random) {
      return uniform_of(random) < shape.probability ? shape.width : 0;
    });
    return;
  }
  const int last = shape.kind == Kind::kFixed ? shape.levels : 5 * shape.levels + 1;
  for (int depth = 0; depth <= last; ++depth) {
    const double mean = mean_children(shape, depth);
    at_depth_.emplace_back(
        [=](std::uint32_t random) { return geometric_children(mean, uniform_of(random)); });
  }
}

}  // namespace grappa::bench
