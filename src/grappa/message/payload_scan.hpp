#pragma once

// The payload scan of debug builds and of simulation: refuses closures that carry pointers into
// this process's private memory.
//
// Such code works on one locale, where all cores share an address space, and breaks on two. The
// scan looks at every aligned word of a closure. A word that is an address inside a stack, the
// malloc heap, another private mapping, or a module (its variables, constants and functions lie
// elsewhere in every process) is refused, with the type and the place of the call. Global addresses
// pass: those that carry pointers have their top bit set.
//
// The stack of the sending task is known exactly; other mappings are read from the system now and
// then, so a pointer into one that is younger than kRefreshNs may pass.
//
// Thread safety: `check` may be called from every core of the locale.

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

  /// Throws UsageError naming `closure` and `where`.
  void check(const void* payload, std::size_t bytes, const std::type_info& closure,
             const std::source_location& where);

 private:
  struct Span {
    std::uintptr_t low;
    std::uintptr_t high;
  };

  static constexpr std::uint64_t kRefreshNs = 10'000'000;

  void read_mappings();
  bool is_private(std::uintptr_t address);

  std::mutex mutex_;
  std::vector<Span> private_;
  std::uint64_t read_at_ns_ = 0;
};

}  // namespace grappa
