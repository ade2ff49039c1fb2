#include "grappa/container/array_spans.hpp"

#include <fmt/format.h>

#include "grappa/base/error.hpp"

namespace grappa::internal {

void refuse_sizes(const CallSite& where, const char* what) {
  throw UsageError(fmt::format("{}{}: the arrays differ in size", place_prefix(&where), what));
}

void require_elements(bool null, std::int64_t count, const char* what, const CallSite& where) {
  if (count < 0) {
    throw UsageError(
        fmt::format("{}{}: a negative number of elements", place_prefix(&where), what));
  }
  if (null && count > 0)
    throw UsageError(fmt::format("{}{}: a null GlobalAddress", place_prefix(&where), what));
}

}  // namespace grappa::internal
