#pragma once

// The depth-first search of one core, the same in the parallel search and in the independent
// searches that it is compared with.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "bench/uts_hash.hpp"
#include "bench/uts_tree.hpp"

namespace grappa::bench {

/// A node that has been visited, but its children have not.
template <class Label>
struct UtsParent {
  UtsState state;
  std::uint32_t depth;
  std::uint32_t children;
  [[no_unique_address]] Label label;
};

/// The parents that a search has yet to go into: a stack for the search itself, from the bottom of
/// which others are given the oldest ones, under which the largest parts of the tree hang.
template <class Parent>
class UtsStack {
 public:
  std::size_t size() const { return parents_.size() - bottom_; }
  bool empty() const { return size() == 0; }

  void push(const Parent& parent) { parents_.push_back(parent); }

  Parent pop() {
    const Parent top = parents_.back();
    parents_.pop_back();
    return top;
  }

  /// Takes out the oldest parents, as many as `into` has room for.
  void take_oldest(std::span<Parent> into) {
    std::copy_n(parents_.begin() + bottom_, into.size(), into.begin());
    bottom_ += static_cast<std::ptrdiff_t>(into.size());
    // Each parent is moved at most once for every one that is taken.
    if (static_cast<std::size_t>(bottom_) > parents_.size() / 2) {
      parents_.erase(parents_.begin(), parents_.begin() + bottom_);
      bottom_ = 0;
    }
  }

  /// Puts parents back to where take_oldest takes them from.
  void put_oldest(std::span<const Parent> parents) {
    const auto count = static_cast<std::ptrdiff_t>(parents.size());
    if (bottom_ >= count) {
      bottom_ -= count;
      std::copy(parents.begin(), parents.end(), parents_.begin() + bottom_);
    } else {
      parents_.insert(parents_.begin() + bottom_, parents.begin(), parents.end());
    }
  }

 private:
  std::vector<Parent> parents_;
  std::ptrdiff_t bottom_ = 0;  // what lies below it has been taken
};

/// Searches that number nothing.
struct UtsNoLabels {
  struct Label {};
  static Label root() { return {}; }
  static Label open(const UtsParent<Label>&) { return {}; }
  static Label child(Label, std::uint32_t) { return {}; }
};

/// Visits nodes, newest first. `Labels` may give each of them a label, which its parent determines:
/// `open(parent)` is called once for every parent and returns the label of its first child, and
/// `child(first, i)` that of child i.
template <class Labels>
class UtsSearch {
 public:
  using Label = typename Labels::Label;
  using Parent = UtsParent<Label>;

  UtsSearch(const UtsShape& shape, Labels labels) : children_(shape), labels_(labels) {}

  UtsStack<Parent>& stack() { return stack_; }
  /// What has been visited since the last call.
  UtsCounts take_counts() { return std::exchange(counts_, {}); }
  bool done() const { return next_child_ == parent_.children && stack_.empty(); }

  void visit_root(std::uint32_t seed) { visit(uts_root(seed), 0, labels_.root()); }

  /// Visits at least `nodes` nodes, if there are so many.
  void run(std::int64_t nodes) {
    const std::int64_t until = counts_.nodes + nodes;
    while (counts_.nodes < until && !done()) visit_batch();
  }

 private:
  static constexpr std::size_t kBatch = 8;  // hashes that the processor overlaps

  /// Hashes as many children as a batch holds, of one parent or of several, before it looks at any:
  /// each of them decides about branches that cannot be predicted.
  void visit_batch() {
    std::array<UtsSeed, kBatch> seeds;
    std::array<UtsState, kBatch> states;
    std::array<std::uint32_t, kBatch> depths;
    [[maybe_unused]] std::array<Label, kBatch> labels;
    std::size_t count = 0;
    while (count < kBatch && (next_child_ < parent_.children || next_parent())) {
      seeds[count] = {parent_.state, next_child_};
      depths[count] = parent_.depth + 1;
      labels[count] = labels_.child(parent_.label, next_child_);
      ++next_child_;
      ++count;
    }
    hash_(seeds.data(), states.data(), count);
    for (std::size_t k = 0; k < count; ++k) visit(states[k], depths[k], labels[k]);
  }

  bool next_parent() {
    if (stack_.empty()) return false;
    parent_ = stack_.pop();
    next_child_ = 0;
    parent_.label = labels_.open(parent_);  // from now on that of its first child
    return true;
  }

  void visit(const UtsState& state, std::uint32_t depth, Label label) {
    ++counts_.nodes;
    counts_.depth = std::max<std::int64_t>(counts_.depth, depth);
    const std::uint32_t children = children_(depth, state.random());
    if (children == 0)
      ++counts_.leaves;
    else
      stack_.push({state, depth, children, label});
  }

  const UtsHash hash_ = uts_hash();
  const UtsChildren children_;
  [[no_unique_address]] Labels labels_;
  UtsStack<Parent> stack_;
  Parent parent_{};  // the one whose children are being visited
  std::uint32_t next_child_ = 0;
  UtsCounts counts_;
};

}  // namespace grappa::bench
