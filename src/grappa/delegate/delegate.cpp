#include "grappa/delegate/delegate.hpp"

#include <fmt/format.h>

namespace grappa::internal {

void require_core(int core) {
  const int cores = here().locale.core_count();
  if (core < 0 || core >= cores) {
    throw UsageError(
        fmt::format("core {} does not exist: this run has cores 0 to {}", core, cores - 1));
  }
}

}  // namespace grappa::internal
