#include "grappa/base/uncaught_errors.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <atomic>
#include <exception>

#include "grappa/base/error.hpp"

namespace grappa::internal {
namespace {

std::optional<int> rank_in_job;
std::atomic<std::uint64_t> other_errors{0};

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
  const std::uint64_t others = other_errors.load();
  if (others == 0) fatal_exception();
  fatal(fmt::format("{} (and {} more)", describe_exception(std::current_exception()), others));
}

}  // namespace

void end_by_uncaught_errors(std::optional<int> rank) {
  if (rank) rank_in_job = rank;
  if (std::get_terminate() == &__gnu_cxx::__verbose_terminate_handler)
    std::set_terminate(&end_by_uncaught_error);
}

void count_other_errors(std::uint64_t others) { other_errors.store(others); }

}  // namespace grappa::internal
