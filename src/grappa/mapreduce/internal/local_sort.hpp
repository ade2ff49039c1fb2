#pragma once

// Sorting what has come to one core.
//
//   sort_parts<std::int64_t>(parts, values, std::less<>());   // into `values`
//
// Numbers, and values that have a key of 64 bits, as texts have in eight of their bytes, are sorted
// by its digits (container/internal/local_sort.hpp). Where many values have one key they get the
// next, as a text has in the eight bytes behind. Few of them, and all else, are sorted by
// comparisons. Never suspends.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
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

/// Sorts what is in the order of the n-th keys, before which all are the same.
template <class T, class Before>
void sort_by_next_keys(std::span<T> values, Before before, int n) {
  constexpr std::size_t kMany = 64;
  constexpr int kDeepest = 32;
  const NextKey<T, Before> key{before};
  for (std::size_t first = 0; first < values.size();) {
    std::size_t last = first + 1;
    while (last < values.size() && key(values[last]) == key(values[first])) ++last;
    const std::span<T> same = values.subspan(first, last - first);
    if (same.size() > kMany && n < kDeepest && key.take_next(same, n + 1)) {
      {  // given back before the next keys want theirs
        Bulk<T> scratch(same.size());
        grappa::internal::sort_by_digits(same, std::span<T>(scratch), key);
      }
      sort_by_next_keys(same, before, n + 1);
    } else if (same.size() > 1) {
      std::sort(same.begin(), same.end(), before);
    }
    first = last;
  }
}

/// Into `to`, which has nothing in it; may move from the parts.
template <class T, class Before>
void sort_parts(std::span<const std::span<T>> parts, Bulk<T>& to, Before before) {
  constexpr bool kNumbers = grappa::internal::kSortsByDigits<T, Before> && !std::is_same_v<T, bool>;
  std::size_t size = 0;
  for (const std::span<T> part : parts) size += part.size();
  if constexpr (kNumbers || kHasKeys<T, Before>) {
    const std::vector<std::span<const T>> from(parts.begin(), parts.end());
    to.resize(size);
    if constexpr (kNumbers) {
      grappa::internal::sort_parts_by_digits<T>(from, std::span<T>(to),
                                                grappa::internal::NumberKey<T, Before>());
    } else {
      grappa::internal::sort_parts_by_digits<T>(from, std::span<T>(to), NextKey<T, Before>{before});
      sort_by_next_keys(std::span<T>(to), before, 0);
    }
  } else {
    to.reserve(size);
    for (const std::span<T> part : parts)
      to.insert(to.end(), std::make_move_iterator(part.begin()),
                std::make_move_iterator(part.end()));
    std::sort(to.begin(), to.end(), before);
  }
}

}  // namespace grappa::mapreduce::detail
