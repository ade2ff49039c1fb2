#pragma once

// MPI itself, for benchmarks that compare with it, inside of a run that uses MPI.
//
//   RawMpi mpi(*here().locale.endpoint);
//   while (!mpi.all_present()) yield();        // on one core of every locale
//   const auto alone = mpi.hold();
//   mpi.functions().barrier();
//
// One thread at a time uses MPI, so no message of the run moves while somebody holds it. A core may
// therefore block in a function of MPI only when all locales are known to be here, too: a message
// that it has not sent yet could be what lets another locale get here.
//
// Thread safety: all_present() and hold() from any one thread of the process; functions() while it
// is held.

#include <mutex>

#include "grappa/transport/mpi/mpi_bench_interface.h"
#include "grappa/transport/mpi/mpi_endpoint.hpp"

namespace grappa::internal {

class RawMpi {
 public:
  /// Throws UsageError when `endpoint` does not belong to an MPI job, or when the plug-in is of
  /// another version.
  explicit RawMpi(Endpoint& endpoint);

  bool all_present();
  std::unique_lock<OptionalMutex> hold() { return endpoint_.hold_mpi(); }
  const GrappaMpiBench& functions() const { return *functions_; }

 private:
  MpiEndpoint& endpoint_;
  const GrappaMpiBench* functions_;
};

}  // namespace grappa::internal
