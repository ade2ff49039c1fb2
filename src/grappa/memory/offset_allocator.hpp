#pragma once

// Allocates ranges of an address space that it never touches: offsets of the global heap and of
// symmetric memory, which are the same on every core. Best fit, neighbors are merged when freed.
//
// Not thread-safe: belongs to one core (core 0 keeps the allocators of a run).

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace grappa::internal {

/// The free and allocated ranges of one address space.
class OffsetAllocator {
 public:
  struct Allocation {
    std::uint64_t bytes = 0;
    std::int64_t elements = 0;
  };

  /// Offsets [first, limit). `purpose` names the space in errors.
  OffsetAllocator(std::uint64_t first, std::uint64_t limit, std::string_view purpose);

  /// A free range of `bytes`, aligned to `alignment` (a power of two). `elements` is kept for
  /// `find`. Throws Error naming the sizes when there is none.
  std::uint64_t allocate(std::uint64_t bytes, std::uint64_t alignment, std::int64_t elements = 0);

  /// Frees a range. Throws UsageError for an offset that is not allocated (a double free).
  Allocation free(std::uint64_t offset);

  /// What was allocated at `offset`; throws UsageError when nothing was.
  const Allocation& find(std::uint64_t offset) const;

  std::uint64_t allocated_bytes() const { return allocated_bytes_; }
  std::size_t allocations() const { return live_.size(); }

 private:
  void insert_free(std::uint64_t offset, std::uint64_t bytes);
  void erase_free(std::map<std::uint64_t, std::uint64_t>::iterator it);

  std::string purpose_;
  std::uint64_t capacity_;
  std::uint64_t allocated_bytes_ = 0;
  std::map<std::uint64_t, std::uint64_t> free_by_offset_;
  std::set<std::pair<std::uint64_t, std::uint64_t>> free_by_size_;  // (bytes, offset)
  std::unordered_map<std::uint64_t, Allocation> live_;
};

}  // namespace grappa::internal
