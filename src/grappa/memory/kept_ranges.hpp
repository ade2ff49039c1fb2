#pragma once

// Which free parts of an address space still have their memory.
//
// What is soon allocated again, like the arrays of a kernel that runs many times, should not go
// back to the system in between: each page would cost a fault and zeroing, together as much as a
// pass over the array. So freed memory is kept, up to a limit.
//
// Not thread-safe: used together with the allocator of the same space.

#include <cstdint>
#include <map>

namespace grappa::internal {

/// Freed ranges that still have their memory.
class KeptRanges {
 public:
  /// At most so many bytes are kept.
  explicit KeptRanges(std::uint64_t limit) : limit_(limit) {}

  /// A range is freed. Returns whether its memory is kept; if not, it has to go back to the system.
  bool keep(std::uint64_t offset, std::uint64_t bytes) {
    if (bytes > limit_ || bytes_ > limit_ - bytes) return false;
    ranges_.emplace(offset, bytes);
    bytes_ += bytes;
    return true;
  }

  /// A range is allocated: kept memory in it is in use again.
  void take(std::uint64_t offset, std::uint64_t bytes) {
    const std::uint64_t end = offset + bytes;
    auto range = ranges_.upper_bound(offset);
    if (range != ranges_.begin()) --range;
    while (range != ranges_.end() && range->first < end) {
      const std::uint64_t first = range->first;
      const std::uint64_t last = first + range->second;
      if (last <= offset) {
        ++range;
        continue;
      }
      range = ranges_.erase(range);
      bytes_ -= last - first;
      if (first < offset) put_back(first, offset);
      if (last > end) put_back(end, last);
    }
  }

  std::uint64_t limit() const { return limit_; }
  /// Bytes that are kept now.
  std::uint64_t bytes() const { return bytes_; }

 private:
  void put_back(std::uint64_t first, std::uint64_t last) {
    ranges_.emplace(first, last - first);
    bytes_ += last - first;
  }

  std::uint64_t limit_;
  std::uint64_t bytes_ = 0;
  std::map<std::uint64_t, std::uint64_t> ranges_;  // offset to bytes, without overlaps
};

}  // namespace grappa::internal
