#include "grappa/message/chunk_pool.hpp"

#include <algorithm>
#include <cstdint>
#include <new>

#include "grappa/base/error.hpp"

namespace grappa::internal {
namespace {

constexpr std::size_t kSlabBytes = 1 << 20;

}  // namespace

Chunk* ChunkPool::take() {
  if (Chunk* chunk = free_) {
    free_ = chunk->next;
    chunk->used = 0;
    return chunk;
  }
  const std::size_t bytes = sizeof(Chunk) + capacity_;
  if (slab_left_ < bytes) {
    const std::size_t slab = std::max(kSlabBytes, bytes);
    slabs_.push_back(
        Mapping::reserve({.bytes = slab, .purpose = "message chunks", .knob = "--chunk-size"}));
    slab_next_ = slabs_.back().data();
    slab_left_ = slab;
  }
  auto* chunk = new (slab_next_) Chunk;
  slab_next_ += bytes;
  slab_left_ -= bytes;
  chunk->owner = owner_;
  chunk->capacity = static_cast<std::uint32_t>(capacity_);
  return chunk;
}

Chunk* ChunkPool::make_oversize(std::size_t bytes) const {
  if (bytes > UINT32_MAX / 2) throw UsageError("a message of more than 2 GiB");
  auto* chunk = new (::operator new(sizeof(Chunk) + bytes, std::align_val_t{64})) Chunk;
  chunk->owner = owner_;
  chunk->capacity = static_cast<std::uint32_t>(bytes);
  chunk->oversize = true;
  return chunk;
}

void ChunkPool::release_oversize(Chunk* chunk) { ::operator delete(chunk, std::align_val_t{64}); }

}  // namespace grappa::internal
