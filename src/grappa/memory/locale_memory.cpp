#include "grappa/memory/locale_memory.hpp"

#include <fmt/format.h>

#include <bit>

#include "grappa/base/error.hpp"
#include "grappa/base/topology.hpp"

namespace grappa {
namespace {

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;
// Below this, huge pages would commit more than they are worth.
constexpr std::uint64_t kHugeFrom = 4 << 20;
constexpr std::uint64_t kReleaseFrom = 64 << 10;
// Asking the system takes most of a millisecond, so it is asked once for so many bytes.
constexpr std::uint64_t kCheckFrom = 64 << 20;

std::uint64_t segment_bytes_of_machine() {
#if defined(GRAPPA_TSAN) || defined(GRAPPA_ASAN)
  return 4 * kGiB;  // the shadow memory of sanitizers leaves less room
#else
  return round_up(total_memory_bytes(), kGiB);
#endif
}

}  // namespace

LocaleMemory::LocaleMemory(Locale& locale)
    : segment_(segment_bytes_of_machine()),
      symmetric_start_(segment_ * static_cast<std::uint64_t>(locale.cores_each)),
      locale_start_(2 * symmetric_start_),
      block_shift_(std::countr_zero(locale.config.heap_block_bytes)),
      by_cores_(static_cast<std::uint64_t>(locale.core_count())),
      by_cores_each_(static_cast<std::uint64_t>(locale.cores_each)),
      mapping_(Mapping::reserve({.bytes = locale_start_ + segment_,
                                 .alignment = huge_page_size(),
                                 .purpose = "global memory"})) {
  locale.memory = this;
  for (auto& core : locale.cores) core->memory_base = mapping_.data();
  if (locale.id == 0) {
    // The first block stays unused, so that no global address is 0.
    const std::uint64_t first = locale.config.heap_block_bytes;
    allocators_ = std::make_unique<Allocators>(
        Allocators{OffsetAllocator(first, segment_, "the global heap"),
                   OffsetAllocator(64, segment_, "symmetric memory"),
                   OffsetAllocator(64, segment_, "the memory of a locale")});
  }
}

void LocaleMemory::prepare(std::byte* start, std::uint64_t bytes) {
  if (bytes >= kHugeFrom) advise_huge(start, bytes);
}

void LocaleMemory::give_up(std::byte* start, std::uint64_t bytes) {
  if (bytes >= kReleaseFrom) release_pages(start, bytes);
}

void require_memory(std::uint64_t bytes, const char* purpose) {
  std::atomic<std::uint64_t>& unchecked = here().locale.memory->unchecked_bytes();
  if (unchecked.fetch_add(bytes, std::memory_order_relaxed) + bytes < kCheckFrom) return;
  unchecked.store(0, std::memory_order_relaxed);
  const std::uint64_t usable = usable_memory_bytes();
  if (bytes > usable) {
    throw UsageError(fmt::format("{}: {:.1f} GiB asked, this machine has {:.1f} GiB left", purpose,
                                 static_cast<double>(bytes) / kGiB,
                                 static_cast<double>(usable) / kGiB));
  }
}

}  // namespace grappa
