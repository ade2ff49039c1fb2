#include "grappa/container/array_sort.hpp"

namespace grappa::internal {

void refuse_sort(const CallSite& where) {
  throw UsageError(place_prefix(&where) + "sort needs an array with the block distribution");
}

}  // namespace grappa::internal
