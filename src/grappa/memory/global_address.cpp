#include "grappa/memory/global_address.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "grappa/base/closure_names.hpp"
#include "grappa/base/error.hpp"

namespace grappa::internal {

void throw_not_local(std::uint64_t raw, int home) {
  if (raw == 0) throw UsageError("a null global address was dereferenced");
  throw UsageError(
      fmt::format("global address {:#x} belongs to core {} and was dereferenced on core {}; use "
                  "delegate::read, write or call",
                  raw, home, here().id));
}

void throw_no_such_core(int core, const std::source_location* where) {
  throw UsageError(fmt::format("{}core {} does not exist: this run has cores 0 to {}",
                               place_prefix(where), core, here().locale.core_count() - 1));
}

void throw_core_too_large(int core) {
  constexpr int kCoreBits = 63 - kPointerBits;
  throw UsageError(fmt::format(
      "core {} has no 2D global address: they have {} bits for the core (at most {} cores)", core,
      kCoreBits, 1 << kCoreBits));
}

void throw_pointer_too_large(const volatile void* pointer) {
  throw UsageError(fmt::format("pointer {:#x} has no 2D global address: they have {} bits for it",
                               reinterpret_cast<std::uint64_t>(pointer), kPointerBits));
}

void require_allocated(std::uint64_t first, std::uint64_t last, int shift) {
  if (first == 0) throw UsageError("a null GlobalAddress was used");
  const Core& me = here();
  const LocaleMemory& memory = *me.locale.memory;
  const auto start_of = [&](std::uint64_t raw) {
    const LocaleMemory::Place place =
        memory.locate_linear(raw, std::max(shift, memory.block_shift()));
    const int index = place.core % me.locale.cores_each;
    return me.handles->start_of(Arena::kHeap, place.offset - memory.heap_offset(index));
  };
  const std::optional<std::uint64_t> start = start_of(first);
  if (!start) {
    throw UsageError(fmt::format(
        "global address {:#x} was used, where nothing is allocated (it was freed, or is outside of "
        "what global_alloc returned)",
        first));
  }
  if (start_of(last) != start) {
    throw UsageError(
        fmt::format("a loop from global address {:#x} on has more elements than global_alloc has "
                    "allocated there",
                    first));
  }
}

std::ostream& print_address(std::ostream& out, std::uint64_t raw, std::size_t element_bytes) {
  const auto address = GlobalAddress<char>::from_raw(raw);
  if (raw == 0) return out << "global:null";
  if (address.is_linear()) return out << fmt::format("global:heap+{:#x}/{}", raw, element_bytes);
  if (address.is_2d())
    return out << fmt::format("global:core{}:{:#x}", (raw & ~(1ull << 63)) >> kPointerBits,
                              raw & ((1ull << kPointerBits) - 1));
  return out << fmt::format("global:core{}+{:#x}", (raw & ~(1ull << 62)) >> kOffsetBits,
                            raw & ((1ull << kOffsetBits) - 1));
}

}  // namespace grappa::internal
