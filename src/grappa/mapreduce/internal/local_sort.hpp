#pragma once

// Sorting what one core has.
//
//   local_sort<std::int64_t>(values, std::less<>());
//
// Numbers, and values that have a key of 64 bits, as texts have in eight of their bytes, are sorted
// by its digits (container/internal/local_sort.hpp). Where many values have one key they get the
// next, as a text has in the eight bytes behind. Few of them, and all else, are sorted by
// comparisons. Never suspends.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "grappa/container/internal/local_sort.hpp"
#include "grappa/mapreduce/internal/bulk.hpp"

namespace grappa::mapreduce::detail {

/// Where values have keys: `std::uint64_t operator()(const T&)`, which is smaller or the same for
/// the value that comes first by Before; and `bool take_next(std::span<T>, int n)`, which gives
/// values of equal keys those that decide next, the n-th after their first; false where there are
/// none.
template <class T, class Before>
struct NextKey {};

template <class T, class Before>
inline constexpr bool kHasKeys = std::is_invocable_r_v<std::uint64_t, NextKey<T, Before>, const T&>;

/// Values that have the same keys until the n-th one.
template <class T, class Before>
void sort_by_keys(std::span<T> values, std::span<T> scratch, Before before, int n) {
  constexpr std::size_t kMany = 64;
  constexpr int kDeepest = 32;
  const NextKey<T, Before> key{before};
  grappa::internal::sort_by_digits(values, scratch, key);
  for (std::size_t first = 0; first < values.size();) {
    std::size_t last = first + 1;
    while (last < values.size() && key(values[last]) == key(values[first])) ++last;
    const std::span<T> same = values.subspan(first, last - first);
    if (same.size() > kMany && n < kDeepest && key.take_next(same, n + 1)) {
      sort_by_keys(same, scratch.subspan(first, same.size()), before, n + 1);
    } else if (same.size() > 1) {
      std::sort(same.begin(), same.end(), before);
    }
    first = last;
  }
}

template <class T, class Before>
void local_sort(Bulk<T>& values, Before before) {
  constexpr bool kNumbers = grappa::internal::kSortsByDigits<T, Before> && !std::is_same_v<T, bool>;
  if constexpr (kNumbers) {
    Bulk<T> scratch(values.size());
    grappa::internal::local_sort(std::span<T>(values), std::span<T>(scratch), before);
  } else if constexpr (kHasKeys<T, Before>) {
    Bulk<T> scratch(values.size());
    sort_by_keys(std::span<T>(values), std::span<T>(scratch), before, 0);
  } else {
    std::sort(values.begin(), values.end(), before);
  }
}

}  // namespace grappa::mapreduce::detail
