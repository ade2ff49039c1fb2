#include "grappa/message/payload_scan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>

#include "grappa/base/clock.hpp"
#include "grappa/base/error.hpp"
#include "grappa/tasking/scheduler.hpp"

namespace grappa {
namespace {

// Small numbers are never addresses on Linux, and user space ends at 2^47.
constexpr std::uintptr_t kLowest = 1u << 16;
constexpr std::uintptr_t kHighest = std::uintptr_t{1} << 47;

// What a sanitizer keeps about memory is mapped like any heap, but spans a large part of all
// addresses: numbers that mean something else lie in it.
#if defined(GRAPPA_ASAN) || defined(GRAPPA_TSAN)
constexpr std::uintptr_t kLongest = std::uintptr_t{1} << 36;
#else
constexpr std::uintptr_t kLongest = kHighest;
#endif

}  // namespace

PayloadScanner::PayloadScanner() { read_mappings(); }

void PayloadScanner::read_mappings() {
  private_.clear();
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    std::uintptr_t low = 0;
    std::uintptr_t high = 0;
    char permissions[5] = {};
    if (std::sscanf(line.c_str(), "%" SCNxPTR "-%" SCNxPTR " %4s", &low, &high, permissions) < 3)
      continue;
    // Private: stacks, heaps, and all that modules consist of, which lie elsewhere in each process.
    if (permissions[0] != 'r' || permissions[3] != 'p' || high - low > kLongest) continue;
    private_.push_back({low, high});
  }
  read_at_ns_ = now_ns();
}

bool PayloadScanner::is_private(std::uintptr_t address) {
  const Stack& stack = this_scheduler().current().stack;
  if (address - reinterpret_cast<std::uintptr_t>(stack.low) < stack.bytes) return true;
  const auto known = [&] {
    return std::any_of(private_.begin(), private_.end(), [=](const Span& span) {
      return address >= span.low && address < span.high;
    });
  };
  const std::lock_guard lock(mutex_);
  if (known()) return true;
  if (now_ns() - read_at_ns_ < kRefreshNs) return false;
  read_mappings();
  return known();
}

void PayloadScanner::check(const void* payload, std::size_t bytes, const std::type_info& closure,
                           const std::source_location& where) {
  for (std::size_t at = 0; at + sizeof(std::uintptr_t) <= bytes; at += sizeof(std::uintptr_t)) {
    std::uintptr_t word;
    std::memcpy(&word, static_cast<const std::byte*>(payload) + at, sizeof word);
    if (word < kLowest || word >= kHighest) continue;
    if (!is_private(word)) continue;
    throw UsageError(fmt::format(
        "{}:{}: the closure {} that is sent here holds {:#x} at byte {}, a pointer "
        "into this process's stack, heap, variables or code; "
        "on another locale it means nothing. Capture values, GlobalAddress or handles "
        "of global containers instead (or, where it is a number that only looks like an "
        "address, run with --scan-payloads off)",
        where.file_name(), where.line(), demangled_type_name(closure), word, at));
  }
}

}  // namespace grappa
