#pragma once

// Sorts an array in the memory of one core.
//
//   internal::local_sort(std::span(values), std::span(scratch), std::less<>{});
//
// Integers and floating-point numbers in ascending or descending order (std::less, std::greater) go
// by their digits; everything else by comparisons. Digits: one pass spreads a large array over
// buckets that stay in the second-level cache, by the highest digit in which its values differ;
// then each bucket is sorted from the lowest digit on (as in the hybrid of P. McIlroy, K. Bostic,
// M. McIlroy, "Engineering radix sort", Computing Systems 1993, and the LSD sort of J. Wassenberg
// and P. Sanders, "Engineering a multi-core radix sort", Euro-Par 2011). Digits in which all values
// agree are passed over, so small and skewed keys cost less and never more than one pass a digit.
//
// Not stable. NaNs come last (first in descending order), with the sign of those below everything.

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace grappa::internal {

/// Numbers as unsigned ones of the same width and order.
template <class T>
using KeyBits = std::conditional_t<
    sizeof(T) == 8, std::uint64_t,
    std::conditional_t<sizeof(T) == 4, std::uint32_t,
                       std::conditional_t<sizeof(T) == 2, std::uint16_t, std::uint8_t>>>;

template <class T>
KeyBits<T> to_key_bits(T value) {
  using Bits = KeyBits<T>;
  constexpr Bits kSign = static_cast<Bits>(Bits{1} << (sizeof(T) * 8 - 1));
  if constexpr (std::is_floating_point_v<T>) {
    const auto bits = std::bit_cast<Bits>(value);
    return (bits & kSign) != 0 ? static_cast<Bits>(~bits) : static_cast<Bits>(bits | kSign);
  } else if constexpr (std::is_signed_v<T>) {
    return static_cast<Bits>(static_cast<Bits>(value) ^ kSign);
  } else {
    return static_cast<Bits>(value);
  }
}

template <class T, class Less>
inline constexpr bool kAscending =
    std::is_same_v<Less, std::less<>> || std::is_same_v<Less, std::less<T>>;
template <class T, class Less>
inline constexpr bool kDescending =
    std::is_same_v<Less, std::greater<>> || std::is_same_v<Less, std::greater<T>>;
/// Whether values are sorted by their digits.
template <class T, class Less>
inline constexpr bool kSortsByDigits =
    (std::is_integral_v<T> || std::is_same_v<T, float> || std::is_same_v<T, double>) &&
    (kAscending<T, Less> || kDescending<T, Less>);

/// How many there are of each becomes the place of the first of each.
inline void counts_to_places(std::span<std::size_t> counts) {
  std::exclusive_scan(counts.begin(), counts.end(), counts.begin(), std::size_t{0});
}

template <class T, class Less>
class DigitSort {
  using Bits = KeyBits<T>;
  static constexpr int kDigitBits = 8;
  static constexpr std::size_t kDigits = std::size_t{1} << kDigitBits;
  static constexpr int kSpreadBits = 10;
  static constexpr std::size_t kBuckets = std::size_t{1} << kSpreadBits;
  static constexpr std::size_t kCachedBytes = 512 << 10;  // of a bucket and its scratch space
  static constexpr std::ptrdiff_t kFew = 32;

 public:
  /// Sorts `values`; `scratch` is as long.
  static void sort(std::span<T> values, std::span<T> scratch) {
    if (values.size() * sizeof(T) * 2 <= kCachedBytes) {
      put(sort_cached(values, scratch), values);
      return;
    }
    const auto [least, most] = range_of(values);
    const auto width = static_cast<int>(std::bit_width(static_cast<Bits>(most - least)));
    const int shift = std::max(0, width - kSpreadBits);
    const auto bucket = [lowest = least, shift](T value) {
      return static_cast<std::size_t>(static_cast<Bits>(key(value) - lowest) >> shift);
    };
    std::vector<std::size_t> places(kBuckets + 1);
    for (const T value : values) ++places[bucket(value)];
    counts_to_places(places);
    spread(values, scratch, std::vector<std::size_t>(places), bucket);
    for (std::size_t b = 0; b < kBuckets; ++b) {
      const std::size_t size = places[b + 1] - places[b];
      const std::span<T> from = scratch.subspan(places[b], size);
      const std::span<T> to = values.subspan(places[b], size);
      put(shift == 0 ? from : sort_cached(from, to), to);
    }
  }

 private:
  static Bits key(T value) {
    const Bits bits = to_key_bits(value);
    return kAscending<T, Less> ? bits : static_cast<Bits>(~bits);
  }

  static std::pair<Bits, Bits> range_of(std::span<const T> values) {
    Bits least = static_cast<Bits>(~Bits{0});
    Bits most = 0;
    for (const T value : values) {
      least = std::min(least, key(value));
      most = std::max(most, key(value));
    }
    return {least, most};
  }

  /// To the places of their buckets, a cache line at a time: so many open lines do not stay in the
  /// nearest cache, and their pages not in the nearest table of translations.
  template <class Bucket>
  static void spread(std::span<const T> values, std::span<T> to, std::vector<std::size_t> places,
                     const Bucket& bucket) {
    constexpr std::size_t kPerLine = 64 / sizeof(T);
    struct alignas(64) Line {
      T values[kPerLine];
    };
    std::vector<Line> lines(kBuckets);
    std::vector<std::uint8_t> held(kBuckets);
    for (const T value : values) {
      const std::size_t b = bucket(value);
      lines[b].values[held[b]] = value;
      if (++held[b] == kPerLine) {
        std::copy_n(lines[b].values, kPerLine, to.data() + places[b]);
        places[b] += kPerLine;
        held[b] = 0;
      }
    }
    for (std::size_t b = 0; b < kBuckets; ++b)
      std::copy_n(lines[b].values, held[b], to.data() + places[b]);
  }

  static void put(std::span<const T> values, std::span<T> to) {
    if (values.data() != to.data()) std::copy(values.begin(), values.end(), to.begin());
  }

  /// What stays in the cache, from the lowest digit on. Returns where it is then: one or the other.
  static std::span<T> sort_cached(std::span<T> values, std::span<T> scratch) {
    if (std::ssize(values) <= kFew) {
      std::sort(values.begin(), values.end(), [](T a, T b) { return key(a) < key(b); });
      return values;
    }
    Bits differing = 0;
    for (const T value : values) differing |= key(value) ^ key(values.front());
    std::span<T> from = values;
    std::span<T> to = scratch;
    const auto width = static_cast<int>(std::bit_width(differing));
    for (int shift = 0; shift < width; shift += kDigitBits) {
      if ((differing >> shift & (kDigits - 1)) == 0) continue;
      std::array<std::size_t, kDigits> places{};
      const auto digit = [shift](T value) {
        return static_cast<std::size_t>(key(value) >> shift & (kDigits - 1));
      };
      for (const T value : from) ++places[digit(value)];
      counts_to_places(places);
      for (const T value : from) to[places[digit(value)]++] = value;
      std::swap(from, to);
    }
    return from;
  }
};

/// Sorts `values`; `scratch` is as long, and is used where digits are.
template <class T, class Less>
void local_sort(std::span<T> values, std::span<T> scratch, Less less) {
  if constexpr (kSortsByDigits<T, Less>) {
    DigitSort<T, Less>::sort(values, scratch);
  } else {
    std::sort(values.begin(), values.end(), less);
  }
}

}  // namespace grappa::internal
