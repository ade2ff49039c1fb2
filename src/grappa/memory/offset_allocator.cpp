#include "grappa/memory/offset_allocator.hpp"

#include <fmt/format.h>

#include "grappa/base/error.hpp"
#include "grappa/base/huge_pages.hpp"

namespace grappa::internal {

OffsetAllocator::OffsetAllocator(std::uint64_t first, std::uint64_t limit, std::string_view purpose)
    : purpose_(purpose), capacity_(limit - first) {
  insert_free(first, limit - first);
}

void OffsetAllocator::insert_free(std::uint64_t offset, std::uint64_t bytes) {
  free_by_offset_.emplace(offset, bytes);
  free_by_size_.emplace(bytes, offset);
}

void OffsetAllocator::erase_free(std::map<std::uint64_t, std::uint64_t>::iterator it) {
  free_by_size_.erase({it->second, it->first});
  free_by_offset_.erase(it);
}

std::uint64_t OffsetAllocator::allocate(std::uint64_t bytes, std::uint64_t alignment,
                                        std::int64_t elements) {
  if (bytes == 0) bytes = alignment;
  for (auto it = free_by_size_.lower_bound({bytes, 0}); it != free_by_size_.end(); ++it) {
    const auto [size, offset] = *it;
    const std::uint64_t aligned = round_up(offset, alignment);
    if (aligned - offset > size || size - (aligned - offset) < bytes) continue;
    erase_free(free_by_offset_.find(offset));
    if (aligned > offset) insert_free(offset, aligned - offset);
    const std::uint64_t end = offset + size;
    if (end > aligned + bytes) insert_free(aligned + bytes, end - aligned - bytes);
    live_.emplace(aligned, Allocation{bytes, elements});
    allocated_bytes_ += bytes;
    return aligned;
  }
  throw Error(
      fmt::format("{} is full: {} MiB asked, {} of {} MiB a core in use; free arrays that are not "
                  "needed any more, "
                  "or use more locales",
                  purpose_, bytes >> 20, allocated_bytes_ >> 20, capacity_ >> 20));
}

OffsetAllocator::Allocation OffsetAllocator::free(std::uint64_t offset) {
  const Allocation allocation = find(offset);
  live_.erase(offset);
  allocated_bytes_ -= allocation.bytes;
  std::uint64_t start = offset;
  std::uint64_t bytes = allocation.bytes;
  auto after = free_by_offset_.lower_bound(offset);
  if (after != free_by_offset_.end() && after->first == offset + bytes) {
    bytes += after->second;
    const auto merged = after++;
    erase_free(merged);
  }
  if (after != free_by_offset_.begin()) {
    const auto before = std::prev(after);
    if (before->first + before->second == start) {
      start = before->first;
      bytes += before->second;
      erase_free(before);
    }
  }
  insert_free(start, bytes);
  return allocation;
}

const OffsetAllocator::Allocation& OffsetAllocator::find(std::uint64_t offset) const {
  const auto it = live_.find(offset);
  if (it == live_.end()) {
    throw UsageError(fmt::format(
        "{}: nothing is allocated at offset {:#x} (freed twice, or not the start of an allocation)",
        purpose_, offset));
  }
  return it->second;
}

}  // namespace grappa::internal
