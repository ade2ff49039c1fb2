#pragma once

// The baselines of bench gups that use MPI without Grappa, on one thread of each process.
//
// All are called by the main task, and work in all processes.

#include <cstdint>

#include "bench/gups_stream.hpp"
#include "grappa/grappa.hpp"

namespace grappa::bench {

/// A bulk exchange as one writes it by hand: each process makes its part of the updates in rounds,
/// puts them into a buffer for each owner, exchanges the buffers by MPI_Alltoallv, and applies what
/// it gets with a software prefetch ahead. What is its own never goes through MPI. Works on the
/// table of the run.
class BulkExchange {
 public:
  /// Chooses the size of the buffers by trying: the table is as before.
  BulkExchange(GlobalArray<std::int64_t> table, GupsStream stream, std::int64_t updates);

  /// All updates; seconds.
  double run() const { return run_rounds(updates_, 1, updates_a_round_); }
  std::int64_t updates_a_round() const { return updates_a_round_; }

 private:
  double run_rounds(std::int64_t updates, std::int64_t by, std::int64_t updates_a_round) const;

  GlobalArray<std::int64_t> table_;
  GupsStream stream_;
  std::int64_t updates_;
  std::int64_t updates_a_round_ = 0;
};

/// One MPI_Accumulate for each update, on a window of MPI's own, which has the length of the table.
class RemoteAccumulate {
 public:
  RemoteAccumulate(std::int64_t length, GupsStream stream, std::int64_t updates);
  ~RemoteAccumulate();
  RemoteAccumulate(const RemoteAccumulate&) = delete;
  RemoteAccumulate& operator=(const RemoteAccumulate&) = delete;

  /// All updates; seconds.
  double run();

  /// Takes back what the calls of run() added, and throws Error when anything is left.
  void check() const;

 private:
  GupsStream stream_;
  std::int64_t updates_;
  std::int64_t words_each_;
  std::int64_t rounds_ = 0;
};

}  // namespace grappa::bench
