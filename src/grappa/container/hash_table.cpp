#include "grappa/container/hash_table.hpp"

#include <fmt/format.h>

#include "grappa/base/error.hpp"
#include "grappa/memory/locale_memory.hpp"

namespace grappa::internal {

void throw_too_long(std::size_t size, std::size_t capacity) {
  throw UsageError(fmt::format("ShortString: {} characters, there is room for {}", size, capacity));
}

void throw_key_too_long(std::size_t size, std::size_t most) {
  throw UsageError(
      fmt::format("GlobalHashMap: a key of {} characters, at most {} are allowed", size, most));
}

void throw_changed_in_forall() {
  throw UsageError(
      "a container with keys: something was added or erased while forall goes through it");
}

Mapping allocate_slots(std::size_t bytes, const char* container) {
  require_memory(bytes, container);
  const bool large = bytes >= huge_page_size();
  Mapping memory = Mapping::reserve(
      {.bytes = bytes, .alignment = large ? huge_page_size() : 0, .purpose = container});
  if (large) advise_huge(memory.data(), memory.size());
  return memory;
}

}  // namespace grappa::internal
