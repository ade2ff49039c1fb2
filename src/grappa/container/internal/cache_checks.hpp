#pragma once

// What debug builds check of caches (cache.hpp), and what all builds refuse.

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "grappa/container/internal/element_range.hpp"
#include "grappa/memory/live_handles.hpp"

namespace grappa::internal {

[[noreturn]] void refuse_cache_buffer(const char* kind, std::size_t places, std::int64_t elements,
                                      const CallSite& where);
[[noreturn]] void refuse_changed_cache();
void require_cache_usable(bool is_held, bool is_under_way, const char* kind);
void require_cached_index(std::int64_t i, std::int64_t size);

/// Some memory, as its home knows it.
struct HomePart {
  LocalReference at;
  std::uint64_t bytes;
};
/// What a core has of a cached range.
struct CacheHome {
  std::int64_t elements = 0;
  std::vector<HomePart> parts;
};
using CacheHomes = std::map<int, CacheHome>;

template <class T>
CacheHomes homes_of(const ElementRange<T>& range) {
  CacheHomes homes;
  const auto add = [&](int core, LocalReference at, std::int64_t count) {
    CacheHome& home = homes[core];
    home.elements += count;
    home.parts.push_back({at, static_cast<std::uint64_t>(count * range.stride())});
  };
  if (range.is_in_pieces()) {
    range.for_each_piece([&](const Piece& piece) { add(piece.core, piece.at, piece.count); });
  } else {
    for (std::int64_t k = 0; k < range.size(); ++k) {
      const auto [core, at] = range.address(k).place();
      add(core, at, 1);
    }
  }
  return homes;
}

/// Enters a cache that writes at the homes of its elements. Throws UsageError where it, or one that
/// reads, meets another (cache_writers.hpp). Switches tasks.
CacheWriterId enter_cache(const CacheHomes& homes, bool writes, const char* kind,
                          const CallSite& where);
void begin_cache_release(const CacheHomes& homes, CacheWriterId writer);

}  // namespace grappa::internal
