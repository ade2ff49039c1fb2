#pragma once

// Stacks for contexts: many, lazily committed, cut from a few large mappings.
//
//   StackPool pool(64 * 1024, StackMode::kGuarded);
//   Stack stack = pool.allocate();
//   Context c = make_context(stack.low, stack.bytes, &entry, argument, stack_color(stack.index));
//   …
//   if (!pool.intact(stack)) report_stack_overflow(name, pool.stack_bytes());
//   …
//   pool.release(stack);
//
// Modes (config.hpp says how to choose):
//   guarded  Below each stack lies a page that faults (overflow.hpp reports it). It is made with
//            MADV_GUARD_INSTALL, which does not split the mapping, so that 500,000 stacks stay
//            within vm.max_map_count. A kernel without it (before 6.13) gets canaries instead.
//   canary   No guard: the lowest cache line of a stack is compared with what it must hold. On
//            untouched pages that is zeros, so the canary commits no memory. It shows an overflow
//            after the fact, at the next check.
//   huge     Huge pages under the stacks, and canaries. Fewer misses; whole stacks are committed.
//
// A pool belongs to one core: no function may run at the same time as another one of the same pool.
// Stacks are reused last in, first out. Destroying the pool unmaps all stacks, released or not.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "grappa/base/config.hpp"
#include "grappa/base/huge_pages.hpp"
#include "grappa/context/guard_registry.hpp"

namespace grappa::internal {

/// One stack of a pool.
struct Stack {
  void* low = nullptr;      // first usable byte
  std::size_t bytes = 0;    // usable, up from `low`
  std::uint32_t index = 0;  // numbers the stacks of a pool from 0
};

/// Bytes, a multiple of 64, by which to lower the top of a stack. The tops of the stacks are whole
/// pages apart; without this they would all compete for the same few cache sets.
constexpr std::size_t stack_color(std::uint32_t index) noexcept {
  constexpr std::uint32_t kColors = 16;
  return std::size_t{index % kColors} * 64;
}

/// The stacks of one core.
class StackPool {
 public:
  /// Whether to try the kernel's guard pages, or to do as if it had none (for tests).
  enum class Guards { kProbe, kUnavailable };

  /// stack_bytes: address space of a stack without its guard or canary; rounded up to whole pages.
  /// Takes no address space before the first allocate. Throws UsageError when stack_bytes is 0.
  StackPool(std::size_t stack_bytes, StackMode mode, Guards guards = Guards::kProbe);
  ~StackPool();
  StackPool(const StackPool&) = delete;
  StackPool& operator=(const StackPool&) = delete;

  /// A stack of at least stack_bytes() bytes, its content not defined. Throws Error when the
  /// address space, or the memory for page tables, is used up.
  Stack allocate();

  /// Takes a stack back. No context may be on it.
  void release(const Stack& stack);

  /// Gives the memory of the stacks that are not in use back to the system; they stay available.
  void trim();

  /// True when only intact() shows an overflow: by the mode, or on a kernel without guards.
  bool has_canaries() const noexcept { return !guarded_; }

  /// False when something has written over the low end of the stack. Always true without canaries.
  bool intact(const Stack& stack) const noexcept {
    if (guarded_) return true;
    const auto* word = static_cast<const std::uint64_t*>(stack.low) - kCanaryWords;
    std::uint64_t difference = 0;
    for (std::size_t i = 0; i < kCanaryWords; ++i) difference |= word[i] ^ canary_;
    return difference == 0;
  }

  std::size_t stack_bytes() const noexcept { return stack_bytes_; }
  std::size_t allocated() const noexcept { return made_ - free_.size(); }  // stacks in use

 private:
  static constexpr std::size_t kCanaryWords = 8;  // a cache line

  // A mapping that is cut into slots, one a stack: guard or canary at the low end, then the stack.
  struct Slab {
    Mapping memory;
    GuardRegistration guards;
  };

  void add_slab();
  Stack make_stack();
  void write_canary(const Stack& stack) noexcept;

  const std::size_t stack_bytes_;
  const StackMode mode_;
  const bool guarded_;
  const std::uint64_t canary_;     // what each word of a canary holds
  const std::size_t below_bytes_;  // of the guard or canary
  const std::size_t slot_bytes_;
  std::vector<Slab> slabs_;
  std::size_t slots_left_ = 0;  // of the newest slab
  std::uint32_t made_ = 0;      // stacks that ever were
  std::vector<Stack> free_;     // the hottest last
};

}  // namespace grappa::internal
