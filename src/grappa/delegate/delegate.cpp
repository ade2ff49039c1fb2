#include "grappa/delegate/delegate.hpp"

namespace grappa::internal {

void require_core(int core) {
  if (core < 0 || core >= here().locale.core_count()) throw_no_such_core(core);
}

}  // namespace grappa::internal
