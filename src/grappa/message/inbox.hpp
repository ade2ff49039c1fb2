#pragma once

// The chunks that have arrived at a core and that it has not run yet.

#include "grappa/message/chunk_list.hpp"

namespace grappa::internal {

/// The inbox of a core. All functions are for the core's own thread, except `deliver`.
class Inbox {
 public:
  /// A chunk of another core of the locale. Any thread of the process.
  void deliver(Chunk* chunk) { delivered_.push(chunk); }

  /// A chunk that this core has received or filled itself.
  void push(Chunk* chunk) { queue_.push(chunk); }

  /// Lets what was delivered follow what is in the queue, the oldest first.
  void take_delivered() {
    Chunk* newest = delivered_.take_all();
    if (newest == nullptr) return;
    // Its first messages lie in another line, which would else be asked for one transfer later.
    __builtin_prefetch(newest->data());
    Chunk* oldest = nullptr;
    Chunk* const last = newest;
    while (newest != nullptr) {
      Chunk* next = newest->next;
      newest->next = oldest;
      oldest = newest;
      newest = next;
    }
    queue_.append(oldest, last);
  }

  /// Whether nothing is in the queue; what was delivered meanwhile apart.
  bool queue_empty() const { return queue_.empty(); }
  /// Whether something was delivered and not taken.
  bool has_delivered() const { return !delivered_.empty(); }
  /// The queue is not empty.
  Chunk* pop() { return queue_.pop(); }

  /// What was delivered, as a list, and what is in the queue: when the run has ended.
  Chunk* drop_delivered() { return delivered_.take_all(); }
  Chunk* drop_queue() { return queue_.take_all(); }

 private:
  ChunkQueue queue_;
  alignas(64) ChunkStack delivered_;
};

}  // namespace grappa::internal
