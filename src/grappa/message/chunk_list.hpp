#pragma once

// Chunks in lists, linked by Chunk::next: a queue for one core, and a stack that others push on.

#include <atomic>

#include "grappa/message/chunk.hpp"

namespace grappa::internal {

/// Chunks in the order in which they came.
class ChunkQueue {
 public:
  bool empty() const { return first_ == nullptr; }
  void push(Chunk* chunk) {
    chunk->next = nullptr;
    append(chunk, chunk);
  }
  /// Appends a list whose last chunk is followed by none.
  void append(Chunk* head, Chunk* tail) {
    (last_ != nullptr ? last_->next : first_) = head;
    last_ = tail;
  }
  /// The queue is not empty.
  Chunk* pop() {
    Chunk* chunk = first_;
    first_ = chunk->next;
    if (first_ == nullptr) last_ = nullptr;
    return chunk;
  }
  /// All of them, as a list.
  Chunk* take_all() {
    Chunk* chunks = first_;
    first_ = last_ = nullptr;
    return chunks;
  }

 private:
  Chunk* first_ = nullptr;
  Chunk* last_ = nullptr;
};

/// A stack on which any thread pushes and from which one core takes everything.
class ChunkStack {
 public:
  /// Sequentially consistent: who pushes may then look whether the taker sleeps.
  void push(Chunk* chunk) {
    Chunk* head = head_.load(std::memory_order_relaxed);
    do {
      chunk->next = head;
    } while (!head_.compare_exchange_weak(head, chunk, std::memory_order_seq_cst,
                                          std::memory_order_relaxed));
  }
  bool empty() const { return head_.load(std::memory_order_relaxed) == nullptr; }
  /// All of them, the newest first, as a list; nullptr: none.
  Chunk* take_all() {
    return empty() ? nullptr : head_.exchange(nullptr, std::memory_order_acquire);
  }

 private:
  std::atomic<Chunk*> head_{nullptr};
};

}  // namespace grappa::internal
