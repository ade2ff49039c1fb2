#include "grappa/memory/cache_writers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace grappa::internal {

std::string CacheWriters::conflict(std::span<const MemoryPart> parts, bool reads) const {
  for (const Writer& writer : writers_) {
    if (reads && !writer.is_released) continue;
    const bool meets = std::ranges::any_of(parts, [&](const MemoryPart& part) {
      return std::ranges::any_of(writer.parts, [&](const MemoryPart& other) {
        return part.begin < other.end && other.begin < part.end;
      });
    });
    if (!meets) continue;
    return writer.is_released
               ? fmt::format(
                     "the release of a cache of the same elements ({}) has not been waited "
                     "for: its event must have finished",
                     writer.who)
               : fmt::format(
                     "another cache with the right to write the same elements is held ({}): "
                     "what one of the two writes would be lost",
                     writer.who);
  }
  return {};
}

void CacheWriters::add(CacheWriterId id, std::vector<MemoryPart> parts, std::int64_t elements,
                       const std::string& who) {
  writers_.push_back({id, std::move(parts), elements, who, false});
}

CacheWriters::Writer* CacheWriters::find(CacheWriterId id) {
  const auto found = std::ranges::find(writers_, id, &Writer::id);
  return found == writers_.end() ? nullptr : &*found;
}

void CacheWriters::begin_release(CacheWriterId id) {
  if (Writer* writer = find(id)) writer->is_released = true;
}

void CacheWriters::written(CacheWriterId id, std::int64_t elements) {
  if (Writer* writer = find(id); writer != nullptr && (writer->elements -= elements) == 0)
    remove(id);
}

void CacheWriters::remove(CacheWriterId id) {
  std::erase_if(writers_, [id](const Writer& writer) { return writer.id == id; });
}

}  // namespace grappa::internal
