#include "grappa/parallel/global_memory.hpp"

#include <fmt/format.h>

#include "grappa/base/closure_names.hpp"
namespace grappa::internal {
namespace {

OffsetAllocator& allocator_of(Arena arena) {
  LocaleMemory::Allocators& all = here().locale.memory->allocators();
  switch (arena) {
    case Arena::kHeap:
      return all.heap;
    case Arena::kSymmetric:
      return all.symmetric;
    default:
      return all.locale;
  }
}

/// Where an arena's offset lies at this core; of a locale's arena at its first core only.
std::byte* at_home(Arena arena, std::uint64_t offset) {
  const Core& me = here();
  const LocaleMemory& memory = *me.locale.memory;
  switch (arena) {
    case Arena::kHeap:
      return me.memory_base + memory.heap_offset(me.index) + offset;
    case Arena::kSymmetric:
      return me.memory_base + memory.symmetric_offset(me.index) + offset;
    default:
      return me.index == 0 ? me.memory_base + memory.locale_offset() + offset : nullptr;
  }
}

}  // namespace

std::uint64_t allocate_in(Arena arena, std::uint64_t bytes, std::uint64_t alignment,
                          std::int64_t elements) {
  return delegate::call(0, [=] {
    const std::uint64_t offset = allocator_of(arena).allocate(bytes, alignment, elements);
    if (arena == Arena::kLocale) here().locale.memory->allocators().kept.take(offset, bytes);
    return offset;
  });
}

OffsetAllocator::Allocation find_in(Arena arena, std::uint64_t offset) {
  return delegate::call(0, [=] { return allocator_of(arena).find(offset); });
}

void free_in(Arena arena, std::uint64_t offset) {
  if (kChecksEveryAccess) {
    find_in(arena, offset);  // throws where nothing is
    on_all_cores([=] { here().handles->remove_range(arena, offset); });
  }
  const std::uint64_t bytes = delegate::call(0, [=]() -> std::uint64_t {
    const std::uint64_t allocated = allocator_of(arena).find(offset).bytes;
    const bool stays = allocated < LocaleMemory::kReleaseFrom ||
                       (arena == Arena::kLocale &&
                        here().locale.memory->allocators().kept.keep(offset, allocated));
    if (!stays) return allocated;
    allocator_of(arena).free(offset);
    return 0;
  });
  if (bytes == 0) return;
  // Pages go first: once the offset is free, somebody else may be writing there.
  on_all_cores([=] {
    if (std::byte* start = at_home(arena, offset)) LocaleMemory::give_up(start, bytes);
  });
  delegate::call(0, [=] { allocator_of(arena).free(offset); });
}

std::uint64_t heap_offset_of(std::uint64_t raw) {
  const auto cores = static_cast<std::uint64_t>(here().locale.core_count());
  if (raw % cores != 0) {
    throw UsageError(fmt::format("the global heap: {:#x} is not the start of an allocation", raw));
  }
  return raw / cores;
}

void prepare_in(Arena arena, std::uint64_t offset, std::uint64_t bytes, HandleId id) {
  on_all_cores([=] {
    if (std::byte* start = at_home(arena, offset)) LocaleMemory::prepare(start, bytes);
    LiveHandles& live = *here().handles;
    if (id) live.add(id);
    if (kChecksEveryAccess) live.add_range(arena, offset, bytes);
  });
}

HandleId new_handle() {
  return delegate::call(0, [] { return here().locale.memory->allocators().handles.take(); });
}

void register_handle(HandleId id) {
  on_all_cores([=] { here().handles->add(id); });
}

void retire_handle(HandleId id, const char* what) {
  require_live(id, what);
  // Of several that destroy it at the same time, one does.
  const bool was_live = delegate::call(0, [=] {
    LiveHandles& live = *here().handles;
    const bool contains = live.contains(id);
    live.remove(id);
    return contains;
  });
  if (!was_live) throw_not_live(id, what, nullptr);
  on_all_cores([=] { here().handles->remove(id); });
  delegate::call(0, [=] { here().locale.memory->allocators().handles.give_back(id); });
}

std::uint64_t bytes_of(std::int64_t n, std::uint64_t element_bytes, int locales,
                       const char* purpose, const CallSite& where) {
  constexpr std::uint64_t kMaxOnLocale = std::uint64_t{1} << 46;  // offsets of placed addresses
  if (n < 0)
    throw UsageError(
        fmt::format("{}{}: a negative number of elements", place_prefix(&where), purpose));
  const auto count = static_cast<std::uint64_t>(n);
  if (count > kMaxOnLocale / element_bytes * static_cast<std::uint64_t>(locales)) {
    throw UsageError(
        fmt::format("{}{}: {} elements of {} bytes are more than {} locales can address",
                    place_prefix(&where), purpose, n, element_bytes, locales));
  }
  return count * element_bytes;
}

void require_on_locale(std::uint64_t bytes, const char* purpose) {
  // Simulated locales share one machine.
  const Locale& locale = here().locale;
  const auto sharing = locale.config.is_simulated() ? static_cast<std::uint64_t>(locale.count) : 1;
  require_memory(bytes * sharing, purpose);
}

}  // namespace grappa::internal
