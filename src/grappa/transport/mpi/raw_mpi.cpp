#include "grappa/transport/mpi/raw_mpi.hpp"

#include <dlfcn.h>

#include "grappa/base/error.hpp"

namespace grappa::internal {
namespace {

MpiEndpoint& require_mpi(Endpoint& endpoint) {
  auto* mpi = dynamic_cast<MpiEndpoint*>(&endpoint);
  if (mpi == nullptr) throw UsageError("this run is not part of an MPI job");
  return *mpi;
}

const GrappaMpiBench* find_functions() {
  // The plug-in has been loaded, and its symbols are global.
  void* symbol = dlsym(RTLD_DEFAULT, "grappa_mpi_bench");
  if (symbol == nullptr) throw UsageError("the MPI plug-in has no part for benchmarks");
  const auto* functions = reinterpret_cast<const GrappaMpiBench* (*)()>(symbol)();
  if (functions->version != GRAPPA_MPI_BENCH_VERSION)
    throw UsageError("the MPI plug-in belongs to another version of Grappa");
  return functions;
}

}  // namespace

RawMpi::RawMpi(Endpoint& endpoint)
    : endpoint_(require_mpi(endpoint)), functions_(find_functions()) {}

bool RawMpi::all_present() {
  const auto lock = hold();
  return functions_->all_present() != 0;
}

}  // namespace grappa::internal
