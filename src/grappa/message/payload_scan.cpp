#include "grappa/message/payload_scan.hpp"

#include <fmt/format.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>

#include "grappa/base/clock.hpp"
#include "grappa/base/closure_names.hpp"
#include "grappa/base/error.hpp"
#include "grappa/context/guard_registry.hpp"

namespace grappa::internal {
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

// Above the programs that are not position-independent, and numbers that count things.
constexpr std::uintptr_t kLowestMapped = std::uintptr_t{1} << 40;

bool is_mapped(std::uintptr_t address) {
  static const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  unsigned char in_memory = 0;
  return mincore(reinterpret_cast<void*>(address & ~(page - 1)), 1, &in_memory) == 0;
}

}  // namespace

PayloadScanner::PayloadScanner(Extent extent) : extent_(extent), thread_stack_(stack_of_thread()) {
  if (extent_ != Extent::kReferencesInBodies) read_mappings();
}

PayloadScanner::Span PayloadScanner::stack_of_thread() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return {0, 0};
  void* low = nullptr;
  std::size_t bytes = 0;
  pthread_attr_getstack(&attributes, &low, &bytes);
  pthread_attr_destroy(&attributes);
  const auto begin = reinterpret_cast<std::uintptr_t>(low);
  return {begin, begin + bytes};
}

void PayloadScanner::read_mappings() {
  mappings_.clear();
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    std::uintptr_t low = 0;
    std::uintptr_t high = 0;
    char permissions[5] = {};
    if (std::sscanf(line.c_str(), "%" SCNxPTR "-%" SCNxPTR " %4s", &low, &high, permissions) < 3)
      continue;
    // Private: stacks, heaps, and all that modules consist of, which lie elsewhere in each process.
    // What malloc has reserved becomes part of its heap without becoming another mapping's.
    if (permissions[0] != 'r') continue;
    mappings_.push_back({{low, high}, permissions[3] == 'p' && high - low <= kLongest});
  }
  read_at_ns_ = now_ns();
}

bool PayloadScanner::is_in_stack(std::uintptr_t address) const {
  return address >= kLowestMapped && (thread_stack_.holds(address) || is_in_task_stack(address));
}

bool PayloadScanner::is_private(std::uintptr_t address) {
  const auto mapping = [&] {
    return std::find_if(mappings_.begin(), mappings_.end(),
                        [=](const Mapping& of) { return of.span.holds(address); });
  };
  const std::lock_guard lock(mutex_);
  auto found = mapping();
  if (found != mappings_.end() && found->is_private) return true;
  if (address < kLowestMapped) return false;
  const bool is_new = found == mappings_.end() && is_mapped(address);
  if (!is_new && now_ns() - read_at_ns_ < kRefreshNs) return false;
  read_mappings();
  found = mapping();
  return found != mappings_.end() && found->is_private;
}

void PayloadScanner::check(const Payload& payload, const std::source_location* where) {
  for (std::size_t at = 0; at + sizeof(std::uintptr_t) <= payload.size;
       at += sizeof(std::uintptr_t)) {
    std::uintptr_t word;
    std::memcpy(&word, static_cast<const std::byte*>(payload.bytes) + at, sizeof word);
    if (word < kLowest || word >= kHighest) continue;
    const bool in_stack = is_in_stack(word);
    if (!in_stack && (!payload.travels || !finds_pointers() || !is_private(word))) continue;
    // The place tells a lambda better than its type does, which is long.
    const std::string type = demangled_type_name(payload.type);
    const bool is_lambda = type.find("{lambda") != std::string::npos;
    throw UsageError(fmt::format(
        "{}the {} {}{} holds {:#x} at byte {}, a pointer into {}. Capture values ([=]), "
        "GlobalAddress or handles of global containers instead, and add up with reduce, "
        "reduce_cores or delegate::increment (or, where it is a number that only looks like an "
        "address, run with --scan-payloads off)",
        place_prefix(where), payload.kind, is_lambda && where != nullptr ? "" : type + " ",
        payload.purpose, word, at,
        in_stack ? "a stack of this process, as [&] captures it: other cores would use it at the "
                   "same time, and in other processes it means nothing"
                 : "this process's stack, heap, variables or code; on another locale it means "
                   "nothing"));
  }
}

}  // namespace grappa::internal
