#pragma once

// Finds out whether a run can never go on, from what its processes report about themselves.
//
//   DeadlockVote vote(size);
//   if (vote.add(rank, report)) use(rank);         // it cannot
//
// A run is stuck when every process is quiet and no packet is on its way. Reports are of different
// moments, so one look is not enough: a packet could have been counted as received by a process
// that had reported before. Four rounds must agree in every number. A round is over when all have
// reported in it; each begins after the one before, so between two of them nothing was sent,
// received or woken anywhere.

#include <cstddef>
#include <vector>

#include "grappa/transport/watch/watch_frame.hpp"

namespace grappa::internal {

class DeadlockVote {
 public:
  explicit DeadlockVote(int size) : reports_(static_cast<std::size_t>(size)) {}

  /// Takes a report; true when the run is stuck.
  bool add(int rank, const RunReport& report);

 private:
  static constexpr int kRounds = 4;

  struct Seat {
    RunReport report;
    bool in_round = false;
  };

  void begin_round();
  bool nothing_in_flight() const;

  std::vector<Seat> reports_;
  std::size_t missing_ = 0;  // in this round
  int rounds_ = 0;           // that agreed
};

}  // namespace grappa::internal
