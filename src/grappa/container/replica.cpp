#include "grappa/container/replica.hpp"

namespace grappa::internal {

Slice slice_of(std::int64_t begin, std::int64_t end, std::int64_t k, std::int64_t parts,
               std::int64_t unit) {
  const std::int64_t units = (end - begin + unit - 1) / unit;
  return {std::min(end, begin + units * k / parts * unit),
          std::min(end, begin + units * (k + 1) / parts * unit)};
}

}  // namespace grappa::internal
