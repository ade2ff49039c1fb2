#pragma once

// The bare loop of `bench pointer-chase`: contexts in a ring, each of which prefetches its node,
// switches to the next context, and follows the pointer when its turn comes again. For two lists or
// more.

#include <cstdint>
#include <vector>

#include "bench/chase_lists.hpp"
#include "grappa/context/stack_pool.hpp"
#include "grappa/context/switch.hpp"

namespace grappa::bench {

class BareChaseRing {
 public:
  explicit BareChaseRing(const Config& config);
  ~BareChaseRing();
  BareChaseRing(const BareChaseRing&) = delete;
  BareChaseRing& operator=(const BareChaseRing&) = delete;

  /// Makes a context for each head, to be started by run().
  void prepare(std::vector<Node*>& heads, std::int64_t steps);
  /// Takes all heads so many steps further.
  void run();

 private:
  /// What a context knows of itself.
  struct Slot {
    Node** head;
    std::int64_t steps;
    void** own;   // where its stack pointer is saved
    void** next;  // and that of the one after it; for the last one, of the first
    void** done;  // whom to go on with at the end
  };

  [[noreturn]] static void entry(void* slot);

  internal::StackPool pool_;
  std::vector<internal::Stack> stacks_;
  std::vector<internal::Context> contexts_;
  std::vector<Slot> slots_;
  std::vector<void*> stack_pointers_;
  void* main_ = nullptr;
};

}  // namespace grappa::bench
