#include "grappa/delegate/delegate.hpp"

#include <fmt/format.h>

#include "grappa/base/closure_names.hpp"
#include "grappa/base/error.hpp"

namespace grappa::internal {

void require_core(int core, const CallSite& where) {
  if (core < 0 || core >= here().locale.core_count()) throw_no_such_core(core, &where);
}

void refuse_lengths(const CallSite& where, const char* what, const char* values,
                    const char* places) {
  throw UsageError(
      fmt::format("{}{}: as many {} as {} are needed", place_prefix(&where), what, values, places));
}

void refuse_handle(bool moved, int core) {
  if (moved) throw UsageError("a Handle was used that was moved from");
  throw UsageError(
      fmt::format("a Handle of core {} was used on core {}: complete it on the core that issued it",
                  core, here().id));
}

void refuse_second_wait() {
  throw UsageError("a Handle was completed twice; it gives its result once");
}

}  // namespace grappa::internal
