#include "grappa/sync/full_empty_pointer.hpp"

#include <fmt/format.h>

#include "grappa/base/error.hpp"

namespace grappa::internal {

void refuse_address(std::uint64_t bits) {
  throw UsageError(
      fmt::format("{:#x} cannot be in a full/empty word of 8 bytes: {}", bits,
                  (bits & kStateBits) != 0
                      ? "it is no multiple of 4, and the lowest two bits are the word's own"
                      : "it has more than 48 bits"));
}

}  // namespace grappa::internal
