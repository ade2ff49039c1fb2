#include "grappa/parallel/whole_call.hpp"

#include <cstdint>

#include "grappa/base/error.hpp"
#include "grappa/base/uncaught_errors.hpp"
#include "grappa/sync/completion_event.hpp"
#include "grappa/tasking/completion.hpp"
#include "grappa/tasking/core.hpp"
#include "grappa/tasking/scheduler.hpp"

namespace grappa::internal {
namespace {

/// What the function has thrown comes out, and the line that ends the process, if nobody catches
/// it, counts what other tasks have.
std::exception_ptr with_others(const std::exception_ptr& failure, std::uint64_t others) {
  try {
    std::rethrow_exception(failure);
  } catch (const RemoteError& error) {
    return std::make_exception_ptr(
        RemoteError(error.type_name(), error.message(), error.others() + others));
  } catch (...) {
    count_other_errors(others);
    return failure;
  }
}

}  // namespace

std::exception_ptr call_whole(void (*body)(void*), void* argument) {
  std::exception_ptr failure;
  try {
    CompletionEvent all;
    Worker& worker = this_scheduler().current();
    CompletionShare* const around = worker.scope;
    worker.scope = &all.share();
    try {
      body(argument);
    } catch (...) {
      failure = std::current_exception();
      // For reports, should what else there is never end.
      here().ledger->report(all.share(), failure);
    }
    worker.scope = around;
    all.wait();
  } catch (const RemoteError& error) {
    if (failure == nullptr) return std::current_exception();
    // What the function has thrown may stand for several.
    return with_others(failure, error.others() - to_remote_error(failure).others());
  }
  return failure;
}

}  // namespace grappa::internal
