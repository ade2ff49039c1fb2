#include "grappa/tasking/frame_pool.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "grappa/base/error.hpp"
#include "grappa/base/text_values.hpp"

namespace grappa::internal {
namespace {

// Slabs double, so that few coroutines stay small, and many lie on huge pages.
constexpr std::size_t kFirstSlab = std::size_t{16} << 10;
constexpr std::size_t kMaxSlab = std::size_t{8} << 20;

}  // namespace

void* FramePool::allocate_slowly(std::size_t bytes, std::size_t lines) {
  if (lines < free_.size()) {
    add_slab(lines);
    return take(lines);
  }
  require_room(bytes);
  void* const frame = ::operator new(bytes, std::align_val_t{kLine});
  heap_bytes_ += bytes;
  used_ += bytes;
  ++in_use_;
  return frame;
}

void FramePool::release(void* frame, std::size_t bytes) noexcept {
  const std::size_t lines = lines_of(bytes);
  --in_use_;
  if (lines < free_.size()) {
    std::memset(frame, 0, kLine);
    auto* const slot = new (frame) FreeSlot{free_[lines]};
    free_[lines] = slot;
    used_ -= lines * kLine;
  } else {
    ::operator delete(frame, std::align_val_t{kLine});
    heap_bytes_ -= bytes;
    used_ -= bytes;
  }
}

void FramePool::require_room(std::size_t bytes) const {
  if (slab_bytes_ + heap_bytes_ + bytes <= limit_) return;
  throw Error(
      fmt::format("the coroutines of a core need more than {}; raise --coroutine-memory "
                  "(GRAPPA_COROUTINE_MEMORY), or start fewer at a time",
                  format_bytes(limit_)));
}

void FramePool::add_slab(std::size_t lines) {
  const std::size_t slot_bytes = lines * kLine;
  const std::size_t bytes =
      std::clamp(std::min(slab_bytes_, limit_ - slab_bytes_ - heap_bytes_), kFirstSlab, kMaxSlab);
  require_room(bytes);
  const bool huge = bytes >= huge_page_size();
  Slab slab{Mapping::reserve({.bytes = bytes,
                              .alignment = huge ? huge_page_size() : 0,
                              .purpose = "coroutine frames",
                              .knob = "--coroutine-memory"}),
            slot_bytes};
  if (huge) advise_huge(slab.memory.data(), slab.memory.size());
  slab_bytes_ += slab.memory.size();
  // The first slot is to be handed out first.
  for (std::size_t at = slab.memory.size() / slot_bytes * slot_bytes; at != 0; at -= slot_bytes) {
    auto* const slot = new (slab.memory.data() + at - slot_bytes) FreeSlot{free_[lines]};
    free_[lines] = slot;
  }
  slabs_.push_back(std::move(slab));
}

}  // namespace grappa::internal
