#include "grappa/base/uncaught_errors.hpp"

#include <poll.h>

#include <algorithm>
#include <exception>

#include "grappa/base/error.hpp"

namespace grappa::internal {
namespace {

std::optional<int> rank_in_job;

bool is_error_of_ours() noexcept {
  if (std::current_exception() == nullptr) return false;
  try {
    throw;
  } catch (const Error&) {
    return true;
  } catch (...) {
    return false;
  }
}

// In a job the default would be abort(), for which Open MPI prints a trace of the stack, and the
// others would only know that this process is lost. What all processes throw alike is left to the
// first of them: the others end when they hear of it.
void end_by_uncaught_error() noexcept {
  constexpr int kPatienceMs = 300;
  constexpr int kMaxPlaces = 5;
  if (!rank_in_job && !is_error_of_ours()) __gnu_cxx::__verbose_terminate_handler();
  poll(nullptr, 0, kPatienceMs * std::min(rank_in_job.value_or(0), kMaxPlaces));
  if (std::current_exception() == nullptr) fatal("std::terminate was called");
  fatal_exception();
}

}  // namespace

void end_by_uncaught_errors(std::optional<int> rank) {
  if (rank) rank_in_job = rank;
  if (std::get_terminate() == &__gnu_cxx::__verbose_terminate_handler)
    std::set_terminate(&end_by_uncaught_error);
}

}  // namespace grappa::internal
