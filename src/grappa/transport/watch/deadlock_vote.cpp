#include "grappa/transport/watch/deadlock_vote.hpp"

#include <algorithm>
#include <cstdint>

namespace grappa::internal {

void DeadlockVote::begin_round() {
  for (Seat& seat : reports_) seat.in_round = false;
  missing_ = reports_.size();
}

bool DeadlockVote::nothing_in_flight() const {
  std::uint64_t sent = 0;
  std::uint64_t received = 0;
  for (const Seat& seat : reports_) {
    if (seat.report.run != reports_.front().report.run) return false;
    sent += seat.report.sent;
    received += seat.report.received;
  }
  return sent == received;
}

bool DeadlockVote::add(int rank, const RunReport& report) {
  Seat& seat = reports_[static_cast<std::size_t>(rank)];
  if (!(seat.report == report) || report.quiet == 0 || report.run == 0) {
    seat.report = report;
    rounds_ = 0;
    begin_round();
    return false;
  }
  if (missing_ == 0) begin_round();
  if (!seat.in_round) {
    seat.in_round = true;
    --missing_;
  }
  return missing_ == 0 && nothing_in_flight() && ++rounds_ >= kRounds;
}

}  // namespace grappa::internal
