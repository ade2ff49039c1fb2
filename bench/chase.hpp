#pragma once

// The experiments of `bench pointer-chase`: one core's part in a trial of each.
//
//   ChaseCore core(bits, seed);                       // by a task on each core
//   const ChaseTimes times = TaskChase{.lists = 24, .steps = 1000}(core);
//
// Each chases `lists` disjoint parts of the core's cycle of nodes for `steps` steps each, one
// reference a step, and checks that every list has arrived where the formula says (Error). The
// cores start together (a barrier of the run), and each reports when it began and ended. Lists
// continue where the trial before ended, so that nothing of it is still in a cache. All switch
// tasks.

#include <cstdint>
#include <memory>
#include <vector>

#include "bench/chase_lists.hpp"
#include "grappa/base/huge_pages.hpp"

namespace grappa::bench {

class BareChaseRing;

struct ChaseTimes {
  std::uint64_t start_ns;
  std::uint64_t end_ns;
};

/// The nodes that one task updates between its references.
struct LocalSet {
  NodeCycle cycle;
  std::uint64_t steps = 0;  // from cycle.at(0), in all trials; an update each
};

/// What a core keeps from trial to trial.
class ChaseCore {
 public:
  ChaseCore(int bits, std::uint64_t seed);
  ~ChaseCore();
  ChaseCore(const ChaseCore&) = delete;
  ChaseCore& operator=(const ChaseCore&) = delete;

  /// Where the lists are. A trial begins there and leaves its ends there.
  std::vector<Node*> heads;

  void begin(std::int64_t lists);
  /// Throws Error unless each of the heads is `steps` further.
  void finish(std::int64_t steps);

  /// Contexts for the bare loop.
  BareChaseRing& bare_ring();

  /// Working sets of `bytes`, a power of two of at least a node, for `tasks` tasks.
  std::vector<LocalSet>& local_sets(std::int64_t tasks, std::int64_t bytes);

 private:
  std::uint64_t start_of(std::int64_t list) const;

  std::uint64_t seed_;
  internal::Mapping memory_;
  NodeCycle cycle_;
  std::uint64_t position_ = 0;  // of list 0
  std::unique_ptr<BareChaseRing> bare_;
  internal::Mapping local_memory_;
  std::vector<LocalSet> local_sets_;
  std::int64_t local_bytes_ = 0;
};

/// `lists` lists in one loop without tasks: what the processor overlaps by itself (Figure 2a).
struct HandChase {
  static constexpr int kMax = 48;
  std::int64_t lists;
  std::int64_t steps;
  ChaseTimes operator()(ChaseCore& core) const;
};

/// Tasks of `width` lists each (1, 2, 4 or 8): prefetch all of them, yield, use them (Figure 2b).
struct TaskChase {
  std::int64_t lists;
  std::int64_t steps;
  int width = 1;
  ChaseTimes operator()(ChaseCore& core) const;
};

/// Coroutines of one list each: tasks without stacks.
struct CoroutineChase {
  std::int64_t lists;
  std::int64_t steps;
  ChaseTimes operator()(ChaseCore& core) const;
};

/// The same with one list each and nothing but the switch: stacks in a ring, no scheduler.
struct BareChase {
  std::int64_t lists;
  std::int64_t steps;
  ChaseTimes operator()(ChaseCore& core) const;
};

/// Tasks that may use what they have asked for only `delay_ns` later, as from a network.
struct DelayedChase {
  std::int64_t lists;
  std::int64_t steps;
  std::uint64_t delay_ns;
  ChaseTimes operator()(ChaseCore& core) const;
};

/// Tasks that make `updates` updates in a list of their own, of `set_bytes`, after each reference
/// (Figure 2c). The sum of the updates is checked, too.
struct PressureChase {
  std::int64_t lists;
  std::int64_t steps;
  std::int64_t updates;
  std::int64_t set_bytes;
  ChaseTimes operator()(ChaseCore& core) const;
};

}  // namespace grappa::bench
