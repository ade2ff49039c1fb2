#include "grappa/tasking/coroutine.hpp"

#include "grappa/base/error.hpp"

#include <fmt/format.h>

namespace grappa::internal {

void CoroutinePromise::refuse() { throw UsageError("a coroutine was called outside a run"); }

void refuse_second_start(const char* function) {
  if (function == nullptr) {
    throw UsageError("a coroutine was spawned or awaited that was moved or spawned before");
  }
  throw UsageError(fmt::format("a coroutine was spawned or awaited twice: {}", function));
}

}  // namespace grappa::internal
