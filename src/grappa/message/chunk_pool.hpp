#pragma once

// The chunks that a core fills: taken from slabs, and kept for the next time when they come back.
//
// A chunk goes to the core that runs it and comes home by `give_back`, from any thread. Its owner
// looks after what comes home (`take_returned`) and puts it back, once the credit is settled.

#include <cstddef>
#include <vector>

#include "grappa/base/huge_pages.hpp"
#include "grappa/message/chunk_list.hpp"

namespace grappa::internal {

/// The pool of a core. All functions are for the core's own thread, except `give_back`.
class ChunkPool {
 public:
  /// Chunks of core `owner` that have room for `capacity` bytes.
  ChunkPool(int owner, std::size_t capacity) : owner_(owner), capacity_(capacity) {}

  /// Whether `take` gives a chunk that was used before.
  bool has_free() const { return free_ != nullptr; }

  /// An empty chunk.
  Chunk* take();

  /// A chunk of its own size, for one large message. UsageError beyond 2 GiB.
  Chunk* make_oversize(std::size_t bytes) const;

  /// A chunk that this core has no more use for.
  void put(Chunk* chunk) {
    if (chunk->oversize) {
      release_oversize(chunk);
    } else {
      chunk->next = free_;
      free_ = chunk;
    }
  }
  static void release_oversize(Chunk* chunk);

  /// A chunk of this pool comes home. Any thread of the process.
  void give_back(Chunk* chunk) { returned_.push(chunk); }
  /// What has come home, as a list; nullptr: nothing.
  Chunk* take_returned() { return returned_.take_all(); }

 private:
  const int owner_;
  const std::size_t capacity_;
  Chunk* free_ = nullptr;
  std::vector<Mapping> slabs_;
  std::size_t slab_left_ = 0;
  std::byte* slab_next_ = nullptr;
  alignas(64) ChunkStack returned_;
};

}  // namespace grappa::internal
