#pragma once

// Sorting what one core has.
//
//   local_sort<std::int64_t>(values, std::less<>());
//
// Values that have a key of 64 bits, as integers have and texts in their first eight bytes, are
// sorted by its digits, eleven bits at a time, the lowest first (LSD radix sort), in passes over
// all of them; those in which all have the same digit are left out. What is then still to be
// compared, and all else, is sorted by comparisons. Never suspends.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>
#include <utility>
#include <vector>

#include "grappa/mapreduce/internal/bulk.hpp"

namespace grappa::mapreduce::detail {

/// Has `std::uint64_t operator()(const T&)` where values of which one comes first by Before have
/// numbers of which it is the smaller one, or the same.
template <class T, class Before>
struct RadixKey {};

template <class T, class Before>
  requires(std::is_integral_v<T> &&
           (std::is_same_v<Before, std::less<>> || std::is_same_v<Before, std::less<T>>))
struct RadixKey<T, Before> {
  std::uint64_t operator()(T value) const {
    constexpr std::uint64_t kSign = std::is_signed_v<T> ? std::uint64_t{1} << 63 : 0;
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(value)) ^ kSign;
  }
};

template <class T, class Before>
inline constexpr bool kHasRadixKey =
    std::is_invocable_r_v<std::uint64_t, RadixKey<T, Before>, const T&>;

/// By the keys alone; values of equal keys stay in their order.
template <class T, class Key>
void radix_sort(Bulk<T>& values, Key key) {
  constexpr int kBits = 11;
  constexpr int kPasses = (64 + kBits - 1) / kBits;
  constexpr std::size_t kDigits = std::size_t{1} << kBits;
  const auto digit = [&key](const T& value, int pass) {
    return static_cast<std::size_t>(key(value) >> (pass * kBits)) & (kDigits - 1);
  };
  std::vector<std::array<std::size_t, kDigits>> counts(kPasses);
  for (const T& value : values) {
    for (int pass = 0; pass < kPasses; ++pass)
      ++counts[static_cast<std::size_t>(pass)][digit(value, pass)];
  }
  Bulk<T> other;
  for (int pass = 0; pass < kPasses; ++pass) {
    std::array<std::size_t, kDigits>& places = counts[static_cast<std::size_t>(pass)];
    if (std::ranges::find(places, values.size()) != places.end()) continue;
    other.resize(values.size());
    std::size_t sum = 0;
    for (std::size_t& place : places) sum += std::exchange(place, sum);
    for (const T& value : values) other[places[digit(value, pass)]++] = value;
    std::swap(values, other);
  }
}

/// Sorts what radix_sort has left: values of equal keys.
template <class T, class Before, class Key>
void sort_equal_keys(Bulk<T>& values, Before before, Key key) {
  for (auto first = values.begin(); first != values.end();) {
    const auto last = std::find_if(
        first + 1, values.end(), [&, k = key(*first)](const T& value) { return key(value) != k; });
    if (last - first > 1) std::sort(first, last, before);
    first = last;
  }
}

template <class T, class Before>
void local_sort(Bulk<T>& values, Before before) {
  constexpr std::size_t kFew = 4096;  // which fit into the cache, where comparing is as fast
  if constexpr (kHasRadixKey<T, Before>) {
    if (values.size() > kFew) {
      const RadixKey<T, Before> key;
      radix_sort<T>(values, key);
      if constexpr (!std::is_integral_v<T>) sort_equal_keys<T>(values, before, key);
      return;
    }
  }
  std::sort(values.begin(), values.end(), before);
}

}  // namespace grappa::mapreduce::detail
