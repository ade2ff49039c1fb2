#include "grappa/context/stack_pool.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "grappa/base/error.hpp"

#ifdef GRAPPA_ASAN
#include <sanitizer/asan_interface.h>
#endif

namespace grappa::internal {
namespace {

constexpr int kMadvGuardInstall = 102;  // MADV_GUARD_INSTALL; Linux 6.13, newer than our headers

constexpr std::size_t kCanaryBytes = 64;
// Not an address, not a number that a program is likely to write eight times over.
constexpr std::uint64_t kHugeCanary = 0x9e3779b97f4a7c15;

// Slabs double from the first to the largest size: an idle runtime stays small, and 500,000 stacks
// are some 130 mappings.
constexpr std::size_t kFirstSlabSlots = 16;
constexpr std::size_t kMaxSlabSlots = 4096;

bool install_guard(void* page) noexcept {
  return madvise(page, page_size(), kMadvGuardInstall) == 0;
}

bool kernel_has_guards() {
  const Mapping page = Mapping::reserve({.bytes = page_size(), .purpose = "a guard page"});
  return install_guard(page.data());
}

std::size_t whole_pages(std::size_t stack_bytes) {
  if (stack_bytes == 0) throw UsageError("stack-size: 0 is too small");
  return round_up(stack_bytes, page_size());
}

// Slots that are a power of two apart share cache sets of the level-2 cache and of the page tables'
// caches as well, which stack_color cannot cure: the tops are an odd number of pages apart (worth
// 1.3 of 4 ns a switch with 1000 stacks of 64 KiB), and under huge pages, where a page more would
// really be taken, an odd number of lines.
std::size_t slot_size(std::size_t stack_bytes, std::size_t below_bytes, StackMode mode) {
  if (mode == StackMode::kHuge) return stack_bytes + below_bytes;
  const std::size_t bytes = round_up(stack_bytes + below_bytes, page_size());
  return (bytes / page_size()) % 2 == 1 ? bytes : bytes + page_size();
}

void forget_sanitizer_marks([[maybe_unused]] const Stack& stack) noexcept {
#ifdef GRAPPA_ASAN
  __asan_unpoison_memory_region(stack.low, stack.bytes);
#endif
}

}  // namespace

StackPool::StackPool(std::size_t stack_bytes, StackMode mode, Guards guards)
    : stack_bytes_(whole_pages(stack_bytes)),
      mode_(mode),
      guarded_(mode == StackMode::kGuarded && guards == Guards::kProbe && kernel_has_guards()),
      canary_(mode == StackMode::kHuge ? kHugeCanary : 0),
      below_bytes_(guarded_ ? page_size() : kCanaryBytes),
      slot_bytes_(slot_size(stack_bytes_, below_bytes_, mode)) {
  static_assert(kCanaryBytes == kCanaryWords * sizeof(std::uint64_t));
}

StackPool::~StackPool() {
#ifdef GRAPPA_ASAN
  // The addresses may serve somebody else next.
  for (const Slab& slab : slabs_) {
    const std::size_t unused = &slab == &slabs_.back() ? slots_left_ * slot_bytes_ : 0;
    __asan_unpoison_memory_region(slab.memory.data(), slab.memory.size() - unused);
  }
#endif
}

Stack StackPool::allocate() {
  Stack stack;
  if (free_.empty()) {
    stack = make_stack();
  } else {
    stack = free_.back();
    free_.pop_back();
  }
  // Looking first: writing zeros to a page that reads as zeros would commit it.
  if (!intact(stack)) write_canary(stack);
  return stack;
}

void StackPool::release(const Stack& stack) {
  forget_sanitizer_marks(stack);
  free_.push_back(stack);
}

void StackPool::trim() {
  for (const Stack& stack : free_) {
    auto* slot = static_cast<std::byte*>(stack.low) - below_bytes_;
    const std::size_t skipped = guarded_ ? below_bytes_ : 0;
    release_pages(slot + skipped, slot_bytes_ - skipped);
  }
}

void StackPool::add_slab() {
  std::size_t slots = kFirstSlabSlots;
  while (slots < kMaxSlabSlots && slots <= made_) slots *= 2;
  const bool huge = mode_ == StackMode::kHuge;
  const std::size_t granule = huge ? huge_page_size() : page_size();
  Slab slab;
  slab.memory = Mapping::reserve({.bytes = round_up(slots * slot_bytes_, granule),
                                  .alignment = granule,
                                  .purpose = "task stacks",
                                  .knob = "--stack-size or the number of workers"});
  slots = slab.memory.size() / slot_bytes_;
  // The advice costs nothing where it is refused.
  if (huge) {
    advise_huge(slab.memory.data(), slab.memory.size());
  } else {
    advise_small(slab.memory.data(), slab.memory.size());
  }
  const auto begin = reinterpret_cast<std::uintptr_t>(slab.memory.data());
  slab.guards = GuardRegistration({.begin = begin,
                                   .end = begin + slots * slot_bytes_,
                                   .slot_bytes = slot_bytes_,
                                   .guard_bytes = guarded_ ? below_bytes_ : 0,
                                   .stack_bytes = stack_bytes_});
  slabs_.push_back(std::move(slab));
  slots_left_ = slots;
}

Stack StackPool::make_stack() {
  if (slots_left_ == 0) add_slab();
  const Mapping& memory = slabs_.back().memory;
  std::byte* slot = memory.data() + (memory.size() / slot_bytes_ - slots_left_) * slot_bytes_;
  if (guarded_ && !install_guard(slot)) {
    throw Error(fmt::format("no guard page for task stack {}: {}; lower the number of workers",
                            made_, strerror(errno)));
  }
  --slots_left_;
  return Stack{slot + below_bytes_, slot_bytes_ - below_bytes_, made_++};
}

void StackPool::write_canary(const Stack& stack) noexcept {
  auto* word = static_cast<std::uint64_t*>(stack.low) - kCanaryWords;
  std::fill_n(word, kCanaryWords, canary_);
}

}  // namespace grappa::internal
