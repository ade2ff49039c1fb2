#include "grappa/container/global_array.hpp"

#include <fmt/format.h>

#include "grappa/base/error.hpp"

namespace grappa::internal {

void throw_no_such_element(std::int64_t i, std::int64_t size) {
  throw UsageError(
      size == 0
          ? fmt::format("GlobalArray: there is no element {}, the array is empty", i)
          : fmt::format("GlobalArray: there is no element {}, the array has 0 to {}", i, size - 1));
}

}  // namespace grappa::internal
