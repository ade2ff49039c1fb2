#pragma once

// Whether what fails leaves global memory behind.
//
//   test::expect_nothing_left_behind([&] { const Owned<Graph> graph = build_graph(list); });
//
// Called by the first task of a run: core 0 keeps the allocators.

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <vector>

#include "grappa/base/error.hpp"
#include "grappa/memory/locale_memory.hpp"
#include "grappa/tasking/core.hpp"

namespace grappa::test {

/// Allocations of global memory that are not freed.
inline std::size_t live_allocations() {
  const internal::LocaleMemory::Allocators& all = internal::here().locale.memory->allocators();
  return all.heap.allocations() + all.symmetric.allocations() + all.locale.allocations();
}

/// While it lives, the memory of locales has room for so many bytes more, and no others.
class LimitedRoom {
 public:
  explicit LimitedRoom(std::uint64_t bytes) {
    const bool any = bytes != 0 && take(bytes);
    for (std::uint64_t size = std::uint64_t{1} << 62; size >= kUnit; size /= 2) {
      while (take(size)) {
      }
    }
    if (!any) return;
    arena_.free(taken_.front());
    taken_.erase(taken_.begin());
  }
  LimitedRoom(const LimitedRoom&) = delete;
  LimitedRoom& operator=(const LimitedRoom&) = delete;
  ~LimitedRoom() {
    for (const std::uint64_t offset : taken_) arena_.free(offset);
  }

  static constexpr std::uint64_t kUnit = 64;  // of all that is allocated there

 private:
  bool take(std::uint64_t bytes) {
    try {
      taken_.push_back(arena_.allocate(bytes, kUnit));
      return true;
    } catch (const Error&) {
      return false;
    }
  }

  internal::OffsetAllocator& arena_ = internal::here().locale.memory->allocators().locale;
  std::vector<std::uint64_t> taken_;
};

/// Calls f() with ever more room, by `step` bytes, until it does not fail: each of its allocations
/// fails once that is as large. Afterwards there must be as many as before, each time.
template <class F>
void expect_nothing_left_behind(F f, std::uint64_t step = LimitedRoom::kUnit) {
  constexpr std::uint64_t kEnough = 1 << 20;
  bool failed = true;
  for (std::uint64_t room = 0; failed; room += step) {
    ASSERT_LT(room, kEnough);
    const std::size_t before = live_allocations();
    failed = false;
    try {
      const LimitedRoom limited(room);
      f();
    } catch (const std::exception&) {
      failed = true;
    }
    ASSERT_EQ(live_allocations(), before) << "with room for " << room << " bytes";
  }
}

}  // namespace grappa::test
