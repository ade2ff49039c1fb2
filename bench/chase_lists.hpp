#pragma once

// Linked lists through memory in random order whose every node is known by a formula.
//
//   NodeCycle cycle(memory, 23, seed);       // 2^23 nodes, one a cache line
//   cycle.build();
//   const Node* end = cycle.at(1000);        // 1000 steps from cycle.at(0), found without a step
//
// The nodes of a cycle are visited in the order of a linear congruential generator of full period
// (T. E. Hull and A. R. Dobell, SIAM Review 4, 1962), whose state after any number of steps has a
// closed form; a bijection scatters its states over the memory, since their low bits are regular.

#include <cstddef>
#include <cstdint>

namespace grappa::bench {

struct alignas(64) Node {
  Node* next;
  std::uint64_t data;
};

/// The numbers below 2^bits in a random cyclic order.
class CyclicOrder {
 public:
  CyclicOrder(int bits, std::uint64_t seed);

  std::uint64_t length() const { return mask_ + 1; }
  /// What comes `step` after at(0).
  std::uint64_t at(std::uint64_t step) const;
  std::uint64_t after(std::uint64_t number) const { return scatter(advance(gather(number))); }

 private:
  std::uint64_t advance(std::uint64_t state) const { return state * multiplier_ + increment_; }
  std::uint64_t scatter(std::uint64_t state) const;
  std::uint64_t gather(std::uint64_t number) const;

  std::uint64_t mask_;
  int shift_;  // at least half of the bits: x ^ x >> shift is its own inverse
  std::uint64_t multiplier_;
  std::uint64_t increment_;
  std::uint64_t factor_;   // of the bijection; odd
  std::uint64_t inverse_;  // of the factor, modulo 2^64
};

/// A cycle of 2^bits nodes in memory that belongs to the caller.
class NodeCycle {
 public:
  NodeCycle(void* memory, int bits, std::uint64_t seed)
      : nodes_(static_cast<Node*>(memory)), order_(bits, seed) {}

  /// Writes all nodes, their data 0. Touches the memory in the order of its addresses.
  void build();

  std::uint64_t length() const { return order_.length(); }
  Node* at(std::uint64_t step) const { return nodes_ + order_.at(step); }
  std::uint64_t sum_of_data() const;

 private:
  Node* nodes_;
  CyclicOrder order_;
};

}  // namespace grappa::bench
