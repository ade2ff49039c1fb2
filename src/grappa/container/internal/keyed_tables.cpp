#include "grappa/container/internal/keyed_tables.hpp"

#include <fmt/format.h>

#include "grappa/base/error.hpp"

namespace grappa::internal {

void require_expected(std::int64_t expected, const char* container, const CallSite& where) {
  constexpr std::int64_t kMost = std::int64_t{1} << 46;  // the bytes of their slots can be said
  if (expected < 0)
    throw UsageError(
        fmt::format("{}{}: a negative number of keys", place_prefix(&where), container));
  if (expected > kMost) {
    throw UsageError(fmt::format("{}{}: more keys are expected than any machine has memory for",
                                 place_prefix(&where), container));
  }
}

}  // namespace grappa::internal
