// The payload scan of debug builds and of simulation: refuses closures that carry pointers into
// this process's private memory.
//
// Such code works on one locale, where all cores share an address space, and breaks on two. The
// scan looks at every aligned word of a closure. A word that is an address inside a stack, the
// malloc heap or another private writable mapping ends the run with the type and the place of the
// call. Memory that is registered as global (heap segments, symmetric memory, whose addresses are
// resolved at home) is allowed on the locale that owns it, as 2D global addresses carry such
// pointers.
//
// Thread safety: `check` may be called from every core of the locale.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <source_location>
#include <typeinfo>
#include <vector>

namespace grappa {

class PayloadScanner {
 public:
  PayloadScanner();

  /// Memory that closures may point into.
  void allow(const void* low, std::size_t bytes);

  /// Throws UsageError naming `closure` and `where`.
  void check(const void* payload, std::size_t bytes, const std::type_info& closure,
             const std::source_location& where);

 private:
  struct Span {
    std::uintptr_t low;
    std::uintptr_t high;
  };

  void read_mappings();
  static bool contains(const std::vector<Span>& spans, std::uintptr_t address);

  std::mutex mutex_;
  std::vector<Span> private_;  // sorted
  std::vector<Span> allowed_;
  std::uint64_t read_at_ns_ = 0;
};

}  // namespace grappa
