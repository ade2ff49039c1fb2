#pragma once

// The ready queue: an array ring of saved stack pointers.
//
// A linked queue would cost one dependent cache miss a switch; with an array the processor runs
// ahead over several switches, and prefetches can be issued for entries far from the head. An entry
// that is further than the prefetch distance from the head is *ready-unscheduled*; when a switch
// passes it, the top lines of its stack are prefetched and it is *ready-scheduled*; by the time it
// reaches the head it is *ready-resident* (atc15 section 3.2). Used by one core only.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "grappa/tasking/ring.hpp"
#include "grappa/tasking/worker.hpp"

namespace grappa::internal {

class ReadyRing {
 public:
  struct alignas(std::bit_ceil(sizeof(Context) + sizeof(Worker*))) Entry {
    Context context;
    Worker* worker = nullptr;
  };

  /// `running` runs while nobody was taken. Up to `most_allowed` switches may be allowed at a time.
  ReadyRing(int prefetch_distance, Worker* running, std::size_t most_allowed) {
    reserve(most_allowed);
    set_distance(prefetch_distance);
    set_running(running);
  }

  bool empty() const { return ring_.empty(); }
  std::size_t size() const { return ring_.size(); }

  /// The worker that was taken last, or set in its place. The ring has it anyway: a variable would
  /// cost two more accesses for each switch.
  Worker* running() const { return ring_.last().worker; }
  void set_running(Worker* worker) { ring_.last().worker = worker; }

  /// Allows to take `switches` workers, no more than were announced as the most.
  void allow(std::size_t switches) { stop_ = ring_.mark(switches); }
  /// Whether as many were taken. To be asked before each one, and answered by `allow`.
  bool allowance_is_used() const { return ring_.is_at(stop_); }

  /// Switches between the prefetch of a worker and its run; 0: no prefetch.
  void set_distance(int distance) {
    wanted_distance_ = static_cast<std::size_t>(distance);
    limit_distance();
  }

  /// Makes room for `workers` entries, which must be done before as many are pushed. The allowance
  /// is used then.
  void reserve(std::size_t workers) {
    ring_.reserve(workers);
    limit_distance();
    stop_ = ring_.mark(0);
  }

  void push(Worker* worker) { ring_.append_reserved() = Entry{worker->context, worker}; }

  /// Appends the running worker. The coming switch fills in its context.
  Context& push_running() {
    Entry& entry = ring_.append_reserved();
    entry.worker = running();
    return entry.context;
  }

  /// Takes the head, who is running then, and starts to fetch the worker that will be taken
  /// `distance` switches later. By reference: a copy would be a load of 16 bytes that were just
  /// stored as two times 8, which processors cannot forward, when few are ready.
  const Entry& pop() {
    if (distance_ != 0) {
      // What the switch and the function that left have saved may lie in two lines. With few
      // workers the entry is an old one, and the prefetch does no harm.
      const Entry& later = ring_.ahead(distance_);
      // Numbers, because an entry that was never used leads nowhere.
      const auto saved = reinterpret_cast<std::uintptr_t>(later.context.sp);
      __builtin_prefetch(reinterpret_cast<const void*>(saved - kSavedBelow));
      __builtin_prefetch(reinterpret_cast<const void*>(saved + kSavedAbove - 1));
    }
    return ring_.pop();
  }

  void shuffle_head(std::uint64_t random) { ring_.shuffle_head(random); }

 private:
  void limit_distance() { distance_ = std::min(wanted_distance_, ring_.room()) * sizeof(Entry); }

  Ring<Entry> ring_;
  std::uint64_t distance_ = 0;  // in bytes of the ring
  std::uintptr_t stop_ = 0;     // the mark of the last switch that is allowed
  std::size_t wanted_distance_ = 0;
};

}  // namespace grappa::internal
