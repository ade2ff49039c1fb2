#include "grappa/container/cache.hpp"

#include <fmt/format.h>

#include <string>

#include "grappa/base/closure_names.hpp"
#include "grappa/base/error.hpp"
#include "grappa/delegate/delegate.hpp"

namespace grappa::internal {
namespace {

std::vector<MemoryPart> parts_here(const std::vector<HomePart>& parts) {
  std::vector<MemoryPart> here_parts;
  for (const HomePart& part : parts) {
    const auto begin = reinterpret_cast<std::uint64_t>(part.at.resolve(here()));
    here_parts.push_back({begin, begin + part.bytes});
  }
  return here_parts;
}

}  // namespace

void refuse_cache_buffer(const char* kind, std::size_t places, std::int64_t elements,
                         const CallSite& where) {
  throw UsageError(fmt::format("{}{}: the buffer has room for {} of {} elements",
                               place_prefix(&where), kind, places, elements));
}

void refuse_changed_cache() {
  throw UsageError("the elements of a CacheRO were changed, which may only read; use CacheRW");
}

void require_cache_usable(bool is_held, bool is_under_way, const char* kind) {
  if (!is_held)
    throw UsageError(fmt::format("a {} was used that was released or moved from", kind));
  if (is_under_way)
    throw UsageError(
        fmt::format("a {} was used before wait(): its elements are on their way", kind));
}

void require_cached_index(std::int64_t i, std::int64_t size) {
  if (i < 0 || i >= size)
    throw UsageError(fmt::format("a cache has no element {}: it has {} elements", i, size));
}

CacheWriterId enter_cache(const CacheHomes& homes, bool writes, const char* kind,
                          const CallSite& where) {
  const CacheWriterId id = writes ? here().handles->writers.new_id(here().id) : CacheWriterId();
  std::string who = place_prefix(&where);
  who = fmt::format("{}{} of core {}", who, kind, here().id);
  for (const auto& [core, home] : homes) {
    const std::string conflict = delegate::call(
        core,
        [id, elements = home.elements](const std::vector<HomePart>& parts, const std::string& by) {
          CacheWriters& writers = here().handles->writers;
          std::vector<MemoryPart> mine = parts_here(parts);
          std::string found = writers.conflict(mine, !id);
          if (found.empty() && id) writers.add(id, std::move(mine), elements, by);
          return found;
        },
        home.parts, who);
    if (conflict.empty()) continue;
    if (writes) {
      for (const auto& [entered, unused] : homes)
        delegate::call(entered, [id] { here().handles->writers.remove(id); });
    }
    throw UsageError(fmt::format("{}: {}", who, conflict));
  }
  return id;
}

void begin_cache_release(const CacheHomes& homes, CacheWriterId writer) {
  for (const auto& [core, unused] : homes)
    delegate::call(core, [writer] { here().handles->writers.begin_release(writer); });
}

}  // namespace grappa::internal
