#include "grappa/base/uncaught_errors.hpp"

#include <poll.h>

#include <algorithm>
#include <atomic>
#include <exception>

#include "grappa/base/error.hpp"

namespace grappa::internal {
namespace {

// Constant-initialized: globals of a program may have errors before ours are.
constinit std::atomic<int> rank_in_job{0};
constinit std::atomic<bool> ends_by_all{false};
constinit std::atomic<std::uint64_t> other_errors{0};

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

// The default would be abort(), with a raw name of a type; Open MPI prints a trace of the stack for
// it, and the other processes of a job would only know that this one is lost. What all of them
// throw alike is left to the first: the others end when they hear of it.
void end_by_uncaught_error() noexcept {
  constexpr int kPatienceMs = 300;
  constexpr int kMaxPlaces = 5;
  if (!ends_by_all.load() && !is_error_of_ours()) __gnu_cxx::__verbose_terminate_handler();
  poll(nullptr, 0, kPatienceMs * std::min(rank_in_job.load(), kMaxPlaces));
  if (std::current_exception() == nullptr) fatal("std::terminate was called");
  fatal_exception(other_errors.load());
}

}  // namespace

void end_by_uncaught_errors() noexcept {
  if (std::get_terminate() == &__gnu_cxx::__verbose_terminate_handler)
    std::set_terminate(&end_by_uncaught_error);
}

void end_by_uncaught_exceptions(std::optional<int> rank) noexcept {
  if (rank) rank_in_job.store(*rank);
  ends_by_all.store(true);
  end_by_uncaught_errors();
}

void count_other_errors(std::uint64_t others) { other_errors.store(others); }

}  // namespace grappa::internal
