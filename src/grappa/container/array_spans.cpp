#include "grappa/container/array_spans.hpp"

#include <fmt/format.h>

#include "grappa/base/error.hpp"

namespace grappa::internal {

void refuse_sizes(const CallSite& where, const char* what) {
  throw UsageError(fmt::format("{}{}: the arrays differ in size", place_prefix(&where), what));
}

}  // namespace grappa::internal
