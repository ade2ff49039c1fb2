#pragma once

// The global memory of one locale: one reservation of addresses, laid out the same on every locale
// (the numbers are those of cores):
//   | heap 0 | heap 1 | … | symmetric 0 | symmetric 1 | … | locale |
//
// - *heap*: each core's segment of the block-cyclic global heap.
// - *symmetric*: one copy a core of each symmetric allocation.
// - *locale*: one copy a locale (replicas, and arrays whose parts lie side by side in core order).
//
// Every byte is named by its offset from the start of the reservation, so that a message can refer
// to it without knowing the addresses of the receiver. Nothing is committed until it is touched;
// owners touch their parts first. Each part begins with some pages that cannot be touched, so that
// the use of an address or a handle that is null ends in a message.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "grappa/base/fast_divide.hpp"
#include "grappa/base/huge_pages.hpp"
#include "grappa/context/guard_registry.hpp"
#include "grappa/memory/kept_ranges.hpp"
#include "grappa/memory/live_handles.hpp"
#include "grappa/memory/offset_allocator.hpp"
#include "grappa/tasking/core.hpp"

namespace grappa::internal {

/// The reservation of one locale.
class LocaleMemory {
 public:
  explicit LocaleMemory(Locale& locale);

  /// Bytes of address space for each core's heap or symmetric part, and for the locale's part: as
  /// many as the machine has memory, or fewer if all of them would not fit the address space.
  struct Segments {
    std::uint64_t core;
    std::uint64_t locale;
  };
  static Segments choose_segments(std::uint64_t memory, int cores_each, int locales_in_process);

  std::byte* base() const { return mapping_.data(); }

  /// Offsets from base().
  std::uint64_t heap_offset(int core_index) const {
    return static_cast<std::uint64_t>(core_index) * segment_;
  }
  std::uint64_t symmetric_offset(int core_index) const {
    return symmetric_start_ + static_cast<std::uint64_t>(core_index) * segment_;
  }
  std::uint64_t locale_offset() const { return locale_start_; }
  std::uint64_t segment_bytes() const { return segment_; }

  /// Where a linear address of the global heap lies. `shift`: log2 of the block of its element
  /// type.
  struct Place {
    int core;
    std::uint64_t offset;  // from base() of the core's locale
  };
  Place locate_linear(std::uint64_t linear, int shift) const {
    const auto [turn, core] = by_cores_.divide_modulo(linear >> shift);
    const std::uint64_t in_segment = turn << shift | (linear & ((std::uint64_t{1} << shift) - 1));
    const auto index = static_cast<std::uint64_t>(by_cores_each_.modulo(core));
    return {static_cast<int>(core), index * segment_ + in_segment};
  }

  /// log2 of the block size of the heap as configured.
  int block_shift() const { return block_shift_; }

  /// The allocators of the run; on locale 0 only, used by core 0 only.
  struct Allocators {
    OffsetAllocator heap;
    OffsetAllocator symmetric;
    OffsetAllocator locale;
    KeptRanges kept;  // of `locale`, on each locale
    HandleIds handles;
  };
  Allocators& allocators() { return *allocators_; }

  /// Allocated since require_memory last asked the system. Any core.
  std::atomic<std::uint64_t>& unchecked_bytes() { return unchecked_bytes_; }

  /// From so many bytes on, memory that is freed goes back to the system, unless it is kept.
  static constexpr std::uint64_t kReleaseFrom = 64 << 10;

  /// Of each core's heap and symmetric part, and of the locale's part: not to be touched.
  static constexpr std::uint64_t kNullBytes = 64 << 10;

  /// Advice and release for a part of base(); whole pages inside it.
  static void prepare(std::byte* start, std::uint64_t bytes);
  static void give_up(std::byte* start, std::uint64_t bytes);

 private:
  LocaleMemory(Locale& locale, const Segments& segments);
  void close_null_pages(int cores);

  std::uint64_t segment_;
  std::uint64_t symmetric_start_;
  std::uint64_t locale_start_;
  int block_shift_;
  FastDivider by_cores_;
  FastDivider by_cores_each_;
  Mapping mapping_;
  std::vector<GuardRegistration> null_pages_;
  std::unique_ptr<Allocators> allocators_;
  std::vector<LiveHandles> live_handles_;  // of each core
  std::atomic<std::uint64_t> unchecked_bytes_{0};
};

/// Throws UsageError when an allocation of `bytes` on this locale cannot be backed by memory.
void require_memory(std::uint64_t bytes, const char* purpose);

}  // namespace grappa::internal
