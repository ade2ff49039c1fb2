#include "grappa/container/global_array.hpp"

#include <fmt/format.h>

#include "grappa/base/closure_names.hpp"
#include "grappa/base/error.hpp"

namespace grappa::internal {

void throw_no_such_element(std::int64_t i, std::int64_t size, const CallSite* where,
                           const char* container) {
  throw UsageError(fmt::format("{}{}: there is no element {}, it {}", place_prefix(where),
                               container, i,
                               size == 0 ? "is empty" : fmt::format("has 0 to {}", size - 1)));
}

void throw_no_locale_part(const CallSite* where) {
  throw UsageError(fmt::format(
      "{}GlobalArray: only block arrays have a contiguous part on a locale", place_prefix(where)));
}

void require_distribution(Distribution distribution, const CallSite& where) {
  if (distribution > Distribution::kPermuted) {
    throw UsageError(fmt::format("{}GlobalArray: there is no distribution number {}",
                                 place_prefix(&where), static_cast<int>(distribution)));
  }
}

}  // namespace grappa::internal
