#include "grappa/container/internal/shared_list.hpp"

#include "grappa/base/error.hpp"

namespace grappa::internal {

void throw_list_closed() {
  throw UsageError("something was put into a GlobalStack or GlobalQueue that is closed");
}

}  // namespace grappa::internal
