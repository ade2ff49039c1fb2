#include "grappa/parallel/forall.hpp"

#include <fmt/format.h>

namespace grappa::internal {

std::int64_t loop_length(std::int64_t begin, std::int64_t end, const CallSite& where) {
  std::int64_t n = 0;
  if (__builtin_sub_overflow(end, begin, &n)) {
    throw UsageError(fmt::format("{}a loop from {} to {}: at most 2^63-1 iterations are possible",
                                 place_prefix(&where), begin, end));
  }
  return n;
}

void require_count(std::int64_t n, const CallSite& where) {
  if (n < 0) throw UsageError(fmt::format("{}a loop of {} iterations", place_prefix(&where), n));
}

void require_grain(const LoopOptions& options, const CallSite& where) {
  if (options.grain < 0) {
    throw UsageError(fmt::format("{}a loop with a grain of {}; 0 leaves it to the runtime",
                                 place_prefix(&where), options.grain));
  }
}

}  // namespace grappa::internal
