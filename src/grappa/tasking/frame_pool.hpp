#pragma once

// The memory of coroutine frames of one core: recycled, bounded, each in cache lines of its own.
//
// Frames of up to kMaxPooled bytes come from free lists, one for each number of lines. The
// lists are filled from slabs, which stay until the pool ends; larger frames come from the heap.
// Slabs and large frames together take at most `limit` bytes; then allocate throws.
//
// Used by one core only. Nothing here suspends.

#include <array>
#include <cstddef>
#include <vector>

#include "grappa/base/huge_pages.hpp"

namespace grappa::internal {

class FramePool {
 public:
  static constexpr std::size_t kMaxPooled = 2048;

  explicit FramePool(std::size_t limit) : limit_(limit) {}
  FramePool(const FramePool&) = delete;
  FramePool& operator=(const FramePool&) = delete;

  /// Throws Error, naming the knob, when the limit would be passed.
  void* allocate(std::size_t bytes) {
    const std::size_t lines = lines_of(bytes);
    if (lines < free_.size() && free_[lines] != nullptr) [[likely]]
      return take(lines);
    return allocate_slowly(bytes, lines);
  }

  /// `bytes`: as it was allocated.
  void release(void* frame, std::size_t bytes) noexcept;

  /// Bytes in frames that are in use.
  std::size_t used() const { return used_; }
  /// Frames that are in use.
  std::size_t in_use() const { return in_use_; }

  /// Calls visit(std::byte* slot) for each slot of the slabs. One that is not in use reads as zero
  /// from its second word to the end of its first line.
  template <class Visit>
  void for_each_slot(const Visit& visit) const {
    for (const Slab& slab : slabs_) {
      for (std::size_t at = 0; at + slab.slot_bytes <= slab.memory.size(); at += slab.slot_bytes)
        visit(slab.memory.data() + at);
    }
  }

 private:
  static constexpr std::size_t kLine = 64;

  struct FreeSlot {
    FreeSlot* next;
  };

  struct Slab {
    Mapping memory;
    std::size_t slot_bytes;
  };

  static std::size_t lines_of(std::size_t bytes) { return (bytes + kLine - 1) / kLine; }
  void* take(std::size_t lines) {
    FreeSlot* const slot = free_[lines];
    free_[lines] = slot->next;
    used_ += lines * kLine;
    ++in_use_;
    return slot;
  }
  void* allocate_slowly(std::size_t bytes, std::size_t lines);
  void require_room(std::size_t bytes) const;
  void add_slab(std::size_t lines);

  const std::size_t limit_;
  std::size_t used_ = 0;
  std::size_t in_use_ = 0;
  std::size_t slab_bytes_ = 0;                            // of all slabs
  std::size_t heap_bytes_ = 0;                            // in frames too large for them
  std::array<FreeSlot*, kMaxPooled / kLine + 1> free_{};  // by lines
  std::vector<Slab> slabs_;
};

}  // namespace grappa::internal
