#include "bench/with_mpi.hpp"

#include <fmt/format.h>

#include <exception>

#include "grappa/transport/mpi/raw_mpi.hpp"

namespace grappa::bench {

bool runs_on_mpi() {
  return dynamic_cast<internal::MpiEndpoint*>(internal::here().locale.endpoint) != nullptr;
}

void require_mpi(std::string_view benchmark, std::string_view baseline) {
  if (runs_on_mpi()) return;
  throw UsageError(fmt::format(
      "--baseline {}: needs processes that an MPI launcher has started, such as mpirun -n 2 "
      "grappa {} --baseline {}",
      baseline, benchmark, baseline));
}

void with_mpi(const std::function<void(const GrappaMpiBench&)>& work) {
  barrier();
  std::exception_ptr failure;
  if (this_core() == first_core_of(this_locale())) {
    CompletionEvent done;
    // MPI libraries take more stack than a task has.
    spawn(done, kLargeStack, [&] {
      internal::RawMpi mpi(*internal::here().locale.endpoint);
      // With yields: what brings the others here may still have to leave this core.
      while (!mpi.all_present()) yield();
      const auto alone = mpi.hold();
      try {
        work(mpi.functions());
      } catch (...) {
        failure = std::current_exception();
      }
    });
    done.wait();
  }
  barrier();
  if (failure != nullptr) std::rethrow_exception(failure);
}

}  // namespace grappa::bench
