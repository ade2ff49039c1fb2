#pragma once

// The payload scan: refuses closures, values and results that carry pointers into this process's
// private memory.
//
// Such code works on one locale, where all cores share an address space, and breaks on two; with a
// pointer into a stack, as captured by reference, cores also write there at the same time. The scan
// looks at every aligned word. How much it looks at follows from the run:
//   debug builds, simulation  all that is sent. A word that is an address inside a stack, the heap
//                             of malloc, another private mapping, or a module (its variables,
//                             constants and functions lie elsewhere in every process) is refused.
//   several locales           the same, in closures that are sent once for many calls (of loops and
//                             of on_all_cores) and may hold a pointer (kMayHoldPointer).
//   one locale                references into stacks, in these closures.
// In closures that stay on their locale (of forall_here) only stacks are looked for.
//
// A refusal names the type and the place of the call. Global addresses pass: those that carry
// pointers have their top bit set.
//
// Stacks of tasks, and that of the thread that made the scanner, are known exactly. Other mappings
// are read from the system, again where something lies at an address that none of them holds, and
// after kRefreshNs, for what has been replaced by another mapping.
//
// Thread safety: `check` may be called from every core of the locale.

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <source_location>
#include <typeinfo>
#include <vector>

namespace grappa::internal {

class PayloadScanner {
 public:
  enum class Extent { kReferencesInBodies, kBodies, kEverything };

  explicit PayloadScanner(Extent extent);

  /// Whether single messages are scanned, not only the closures of loops and their like.
  bool scans_messages() const { return extent_ == Extent::kEverything; }
  /// Whether pointers are looked for where there cannot be a reference.
  bool finds_pointers() const { return extent_ != Extent::kReferencesInBodies; }

  struct Payload {
    const void* bytes;
    std::size_t size;
    const std::type_info& type;
    const char* kind;     // "closure"
    const char* purpose;  // "that is sent here"
    bool travels = true;  // to other locales, where pointers mean nothing
  };
  /// Throws UsageError naming the payload and, where it is known, the call.
  void check(const Payload& payload, const std::source_location* where);

 private:
  struct Span {
    std::uintptr_t low;
    std::uintptr_t high;
    bool holds(std::uintptr_t address) const { return address >= low && address < high; }
  };

  struct Mapping {
    Span span;
    bool is_private;
  };

  static constexpr std::uint64_t kRefreshNs = 10'000'000;

  static Span stack_of_thread();
  void read_mappings();
  bool is_in_stack(std::uintptr_t address) const;
  bool is_private(std::uintptr_t address);

  const Extent extent_;
  const Span thread_stack_;
  std::mutex mutex_;
  std::vector<Mapping> mappings_;
  std::uint64_t read_at_ns_ = 0;
};

}  // namespace grappa::internal
