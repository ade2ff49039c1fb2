#include "grappa/memory/global_address.hpp"

#include <fmt/format.h>

#include <ostream>

#include "grappa/base/error.hpp"

namespace grappa::internal {

void throw_not_local(std::uint64_t raw, int home) {
  throw UsageError(
      fmt::format("global address {:#x} belongs to core {} and was dereferenced on core {}; use "
                  "delegate::read, write or call",
                  raw, home, here().id));
}

void throw_core_too_large(int core) {
  throw UsageError(fmt::format(
      "core {} has no 2D global address: they have 16 bits for the core (at most 65,536 cores)",
      core));
}

std::ostream& print_address(std::ostream& out, std::uint64_t raw, std::size_t element_bytes) {
  const auto address = GlobalAddress<char>::from_raw(raw);
  if (raw == 0) return out << "global:null";
  if (address.is_linear()) return out << fmt::format("global:heap+{:#x}/{}", raw, element_bytes);
  if (address.is_2d())
    return out << fmt::format("global:core{}:{:#x}", raw >> 47 & 0xffff,
                              raw & ((std::uint64_t{1} << 47) - 1));
  return out << fmt::format("global:core{}+{:#x}", raw >> 46 & 0xffff,
                            raw & ((std::uint64_t{1} << 46) - 1));
}

}  // namespace grappa::internal
