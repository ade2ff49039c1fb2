#include "grappa/transport/mpi/uncaught_errors.hpp"

#include <poll.h>

#include <algorithm>
#include <exception>

#include "grappa/base/error.hpp"

namespace grappa::internal {
namespace {

int rank_of_process = 0;

// The default would be abort(), for which Open MPI prints a trace of the stack, and the others
// would only know that this process is lost. What all processes throw alike is left to the first of
// them: the others end when they hear of it.
void end_by_uncaught_error() noexcept {
  constexpr int kPatienceMs = 300;
  constexpr int kMaxPlaces = 5;
  poll(nullptr, 0, kPatienceMs * std::min(rank_of_process, kMaxPlaces));
  if (std::current_exception() == nullptr) fatal("std::terminate was called");
  fatal_exception();
}

}  // namespace

void end_job_by_uncaught_errors(int rank) {
  rank_of_process = rank;
  if (std::get_terminate() == &__gnu_cxx::__verbose_terminate_handler)
    std::set_terminate(&end_by_uncaught_error);
}

}  // namespace grappa::internal
