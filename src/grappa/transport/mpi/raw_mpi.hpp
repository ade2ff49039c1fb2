#pragma once

// MPI itself, for benchmarks that compare with it, inside of a run that uses MPI.
//
//   RawMpi mpi(*here().locale.endpoint);
//   while (!mpi.all_present()) yield();        // on one core of every locale
//   const auto alone = mpi.hold();
//   mpi.functions().barrier(); …
//
// MPI is for one thread at a time, so nothing of the run travels while somebody holds it. For this
// reason a core may wait in a function of MPI only when all locales are known to be there, too:
// what it would still have to send, to one that is not, could be what brings that one here.
//
// Thread safety: all_present() and hold() from any one thread of the process; functions() while it
// is held.

#include <mutex>

#include "grappa/transport/mpi/mpi_bench_interface.h"
#include "grappa/transport/mpi/mpi_endpoint.hpp"

namespace grappa {

class RawMpi {
 public:
  // Throws UsageError when `endpoint` is none of an MPI job, or the plug-in is of another version.
  explicit RawMpi(Endpoint& endpoint);

  bool all_present();
  std::unique_lock<OptionalMutex> hold() { return endpoint_.hold_mpi(); }
  const GrappaMpiBench& functions() const { return *functions_; }

 private:
  MpiEndpoint& endpoint_;
  const GrappaMpiBench* functions_;
};

}  // namespace grappa
