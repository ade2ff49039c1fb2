// The ready queue: an array ring of saved stack pointers.
//
// A linked queue would cost one dependent cache miss a switch; from an array the processor runs
// ahead over several switches, and prefetches can be issued for entries far from the head. An entry
// that is further than the prefetch distance from the head is *ready-unscheduled*; when a switch
// passes it, the top lines of its stack are prefetched and it is *ready-scheduled*; by the time it
// reaches the head it is *ready-resident* (atc15 section 3.2). Used by one core only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "grappa/tasking/worker.hpp"

namespace grappa {

class ReadyRing {
 public:
  struct Entry {
    Context context;
    Worker* worker;
  };

  explicit ReadyRing(int prefetch_distance)
      : entries_(64), mask_(63), distance_(static_cast<std::uint64_t>(prefetch_distance)) {}

  bool empty() const { return head_ == tail_; }
  std::size_t size() const { return static_cast<std::size_t>(tail_ - head_); }

  /// Makes room for `workers` entries, so that a push never moves the array.
  void reserve(std::size_t workers) {
    if (workers <= mask_) return;
    std::size_t capacity = entries_.size();
    while (capacity <= workers) capacity *= 2;
    std::vector<Entry> bigger(capacity);
    const std::size_t count = size();
    for (std::size_t i = 0; i < count; ++i) bigger[i] = entries_[(head_ + i) & mask_];
    entries_.swap(bigger);
    mask_ = capacity - 1;
    head_ = 0;
    tail_ = count;
  }

  void push(Worker* worker) { entries_[tail_++ & mask_] = Entry{worker->context, worker}; }

  /// Appends an entry whose context the coming switch will fill in.
  Context& push_running(Worker* worker) {
    Entry& entry = entries_[tail_++ & mask_];
    entry.worker = worker;
    return entry.context;
  }

  /// Takes the head and starts to fetch the worker that will be taken `distance` switches later.
  Entry pop() {
    if (distance_ != 0 && tail_ - head_ > distance_) {
      const Entry& later = entries_[(head_ + distance_) & mask_];
      const char* top = static_cast<const char*>(later.context.sp);
      __builtin_prefetch(top, 1);
      __builtin_prefetch(top + 64, 1);
    }
    return entries_[head_++ & mask_];
  }

  /// Swaps the head with a random later entry (debug builds shuffle the order of ready workers).
  void shuffle_head(std::uint64_t random) {
    const std::size_t count = size();
    if (count > 1) std::swap(entries_[head_ & mask_], entries_[(head_ + random % count) & mask_]);
  }

 private:
  std::vector<Entry> entries_;
  std::uint64_t mask_;
  std::uint64_t head_ = 0;
  std::uint64_t tail_ = 0;
  std::uint64_t distance_;
};

}  // namespace grappa
