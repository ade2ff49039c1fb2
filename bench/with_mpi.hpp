#pragma once

// Raw MPI beside Grappa, in the processes of a run.
//
//   require_mpi("bench gups", "mpi-rma");                       // in the main task
//   const double s = mpi_trial([=](const GrappaMpiBench& mpi) {  // on one task of each process
//     mpi.barrier(); …; return seconds;
//   });
//
// Meanwhile one task of each process is in MPI, whatever the number of cores, and the run sends
// nothing. `work` may throw what it finds wrong, once no other process waits for it in MPI.

#include <algorithm>
#include <functional>
#include <string_view>
#include <vector>

#include "grappa/grappa.hpp"
#include "grappa/transport/mpi/mpi_bench_interface.h"

namespace grappa::bench {

/// Whether the locales of this run are the processes of an MPI job.
bool runs_on_mpi();

/// Throws UsageError, which says how to start it, when they are not.
void require_mpi(std::string_view benchmark, std::string_view baseline);

/// Called by one task on every core: `work` runs on the first core of each locale.
void with_mpi(const std::function<void(const GrappaMpiBench&)>& work);

/// Called by one task: the longest of what work(mpi) returns in the processes. `work` is copied to
/// them: see delegates.
template <class F>
double mpi_trial(F work) {
  const std::vector<double> seconds = gather_cores([=] {
    double mine = 0;
    with_mpi([&](const GrappaMpiBench& mpi) { mine = work(mpi); });
    return mine;
  });
  return *std::ranges::max_element(seconds);
}

/// Seconds that `work` takes until it is done everywhere. In `work` of the above.
template <class F>
double mpi_seconds(const GrappaMpiBench& mpi, F&& work) {
  mpi.barrier();
  const std::uint64_t start = internal::now_ns();
  work();
  mpi.barrier();
  return internal::seconds_since(start);
}

}  // namespace grappa::bench
