#include "grappa/memory/locale_memory.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <bit>

#include "grappa/base/error.hpp"
#include "grappa/base/topology.hpp"

namespace grappa::internal {
namespace {

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;
// Below this, huge pages would commit more than they are worth.
constexpr std::uint64_t kHugeFrom = 4 << 20;
// Of the memory of a locale, which is as large as the machine's, this part is kept when freed.
constexpr std::uint64_t kKeptPart = 16;
// Each closed range divides a mapping, of which a process may have 65,530.
constexpr int kMaxCoresWithNullPages = 4096;
// Asking the system takes most of a millisecond, so it is asked once for so many bytes.
constexpr std::uint64_t kCheckFrom = 64 << 20;

LocaleMemory::Segments segments_of(const Locale& locale) {
#if defined(GRAPPA_TSAN) || defined(GRAPPA_ASAN)
  const std::uint64_t memory = 4 * kGiB;  // the shadow memory of sanitizers leaves less room
#else
  const std::uint64_t memory = total_memory_bytes();
#endif
  return LocaleMemory::choose_segments(memory, locale.cores_each,
                                       locale.config.is_simulated() ? locale.count : 1);
}

}  // namespace

LocaleMemory::Segments LocaleMemory::choose_segments(std::uint64_t memory, int cores_each,
                                                     int locales_in_process) {
  // Half of what x86-64 gives to a process, and all that placed addresses can name.
  constexpr std::uint64_t kAddresses = std::uint64_t{1} << 46;
  constexpr std::uint64_t kGranule = 2 << 20;
  const std::uint64_t wanted = round_up(memory, kGiB);
  const std::uint64_t portion = kAddresses / static_cast<std::uint64_t>(locales_in_process);
  const std::uint64_t locale = std::min(wanted, portion / 2 / kGranule * kGranule);
  const std::uint64_t parts = 2 * static_cast<std::uint64_t>(cores_each);
  return {std::min(wanted, (portion - locale) / parts / kGranule * kGranule), locale};
}

LocaleMemory::LocaleMemory(Locale& locale) : LocaleMemory(locale, segments_of(locale)) {}

LocaleMemory::LocaleMemory(Locale& locale, const Segments& segments)
    : segment_(segments.core),
      symmetric_start_(segment_ * static_cast<std::uint64_t>(locale.cores_each)),
      locale_start_(2 * symmetric_start_),
      block_shift_(std::countr_zero(locale.config.heap_block_bytes)),
      by_cores_(static_cast<std::uint64_t>(locale.core_count())),
      by_cores_each_(static_cast<std::uint64_t>(locale.cores_each)),
      mapping_(Mapping::reserve({.bytes = locale_start_ + segments.locale,
                                 .alignment = huge_page_size(),
                                 .purpose = "global memory"})),
      live_handles_(static_cast<std::size_t>(locale.cores_each)) {
  locale.memory = this;
  for (auto& core : locale.cores) {
    core->memory_base = mapping_.data();
    core->handles = &live_handles_[static_cast<std::size_t>(core->index)];
  }
  const int sharing = locale.config.is_simulated() ? locale.count : 1;  // this machine
  if (sharing * locale.cores_each <= kMaxCoresWithNullPages) close_null_pages(locale.cores_each);
  if (locale.id == 0) {
    const std::uint64_t first = std::max<std::uint64_t>(kNullBytes, locale.config.heap_block_bytes);
    allocators_ = std::make_unique<Allocators>(
        Allocators{OffsetAllocator(first, segment_, "the global heap"),
                   OffsetAllocator(kNullBytes, segment_, "symmetric memory"),
                   OffsetAllocator(kNullBytes, segments.locale, "the memory of a locale"),
                   KeptRanges(segments.locale / kKeptPart / static_cast<std::uint64_t>(sharing)),
                   {}});
  }
}

void LocaleMemory::close_null_pages(int cores) {
  // A help for programs that are wrong: where the system has no more mappings it is left out.
  const auto close = [&](std::uint64_t offset) {
    mprotect(mapping_.data() + offset, kNullBytes, PROT_NONE);
  };
  for (int core = 0; core < cores; ++core) {
    close(heap_offset(core));
    close(symmetric_offset(core));
  }
  close(locale_start_);
  // Nothing else in these ranges faults.
  const auto base = reinterpret_cast<std::uintptr_t>(mapping_.data());
  const auto explain = [&](std::uint64_t begin, std::uint64_t end, const char* meaning) {
    null_pages_.emplace_back(
        GuardedRange{.begin = base + begin, .end = base + end, .meaning = meaning});
  };
  explain(0, symmetric_start_, "a null GlobalAddress was used");
  explain(symmetric_start_, locale_start_,
          "a SymmetricAddress was used that no symmetric_alloc() has returned");
  explain(locale_start_, mapping_.size(),
          "an array or a Replica was used that was never created, or was destroyed");
}

void LocaleMemory::prepare(std::byte* start, std::uint64_t bytes) {
  if (bytes >= kHugeFrom) advise_huge(start, bytes);
}

void LocaleMemory::give_up(std::byte* start, std::uint64_t bytes) {
  if (bytes >= kReleaseFrom) release_pages(start, bytes);
}

void require_memory(std::uint64_t bytes, const char* purpose) {
  std::atomic<std::uint64_t>& unchecked = here().locale.memory->unchecked_bytes();
  // What was allocated since the system was asked may not have been touched yet.
  const std::uint64_t before = unchecked.load(std::memory_order_relaxed);
  const std::uint64_t asked = before + std::min(bytes, ~before);
  if (asked < kCheckFrom) {
    unchecked.fetch_add(bytes, std::memory_order_relaxed);
    return;
  }
  const std::uint64_t usable = usable_memory_bytes();
  if (asked > usable) {
    throw UsageError(fmt::format("{}: {:.1f} GiB asked, this machine has {:.1f} GiB left", purpose,
                                 static_cast<double>(asked) / kGiB,
                                 static_cast<double>(usable) / kGiB));
  }
  unchecked.store(0, std::memory_order_relaxed);
}

}  // namespace grappa::internal
