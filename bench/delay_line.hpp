#pragma once

// A simulated network: what is requested arrives after a fixed delay.
//
//   DelayLine network(3000, tasks);
//   const std::uint64_t ticket = network.issue();       // after the prefetch
//   yield();                                            // until all earlier ones have continued
//   network.wait_for(ticket);                           // now it may be used
//
// Since the delay is the same for all, what is asked for first arrives first: with the tasks of a
// core in a ring, the one whose turn comes is the one whose reference is due next. If it is not due
// yet, the others' are not either and there is nothing to do on the core; so it waits in its place.
// Reading the clock would cost more than the switch, so some references in a row share a reading
// that is taken after the last of them has been issued. The delay is therefore never shorter than
// said, and longer by a few switches at most. Used by one core only.

#include <bit>
#include <cstdint>
#include <vector>

#include "grappa/base/clock.hpp"

namespace grappa::bench {

class DelayLine {
 public:
  /// `most`: how many references are under way at the same time, at most.
  DelayLine(std::uint64_t delay_ns, std::int64_t most)
      : delay_ns_(delay_ns),
        issued_at_(std::bit_ceil(2 * static_cast<std::uint64_t>(most) + 2)),
        mask_(issued_at_.size() - 1) {}

  std::uint64_t issue() {
    const std::uint64_t ticket = open_;
    if (++issued_ == kPerReading) close();
    return ticket;
  }

  /// Returns when it has arrived.
  void wait_for(std::uint64_t ticket) {
    if (ticket == open_) close();
    const std::uint64_t due = issued_at_[ticket & mask_] + delay_ns_;
    while (now_ < due) now_ = internal::now_ns();
  }

 private:
  static constexpr int kPerReading = 8;  // references that share a reading

  void close() {
    now_ = internal::now_ns();
    issued_at_[open_++ & mask_] = now_;
    issued_ = 0;
  }

  std::uint64_t delay_ns_;
  // By ticket. One that waited for more than a round of all others may find a later time, and waits
  // longer.
  std::vector<std::uint64_t> issued_at_;
  std::uint64_t mask_;
  std::uint64_t open_ = 0;  // the ticket whose reading is not taken yet
  int issued_ = 0;          // with it
  std::uint64_t now_ = 0;   // the last reading
};

}  // namespace grappa::bench
