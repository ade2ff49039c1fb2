#include "grappa/container/global_vector.hpp"

#include <fmt/format.h>

#include "grappa/base/error.hpp"

namespace grappa::internal {

void throw_vector_size(std::int64_t size) {
  throw UsageError(fmt::format("GlobalVector: {} elements, which is less than none", size));
}

}  // namespace grappa::internal
