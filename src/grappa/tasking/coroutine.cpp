#include "grappa/tasking/coroutine.hpp"

#include "grappa/base/error.hpp"

namespace grappa::internal {

void CoroutinePromise::refuse() { throw UsageError("a coroutine was called outside a run"); }

}  // namespace grappa::internal
