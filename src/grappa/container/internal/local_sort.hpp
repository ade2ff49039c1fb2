#pragma once

// Sorts, by their digits, what is in the memory of one core.
//
//   internal::sort_parts_by_digits(std::span(parts), std::span(to),
//                                  internal::NumberKey<double, std::less<>>());
//
// Integers and floating-point numbers in ascending or descending order (std::less, std::greater:
// kSortsByDigits), and whatever has a number for a key. One pass spreads a large array over buckets
// that stay in the second-level cache, by the highest digits in which its keys differ; a bucket is
// sorted by the sixteen highest bits in which its keys differ, from the lowest digit on, and what
// is then still the same by the next ones (as in the hybrid of P. McIlroy, K. Bostic, M. McIlroy,
// "Engineering radix sort", Computing Systems 1993, and the LSD sort of J. Wassenberg and P.
// Sanders, "Engineering a multi-core radix sort", Euro-Par 2011). So random keys take three passes,
// whatever their width, and digits in which all agree take none. Values may come in several parts,
// as they have arrived from other cores: then the first pass brings them together, and only a
// bucket needs room beside the result.
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

#include "grappa/container/internal/lazy_array.hpp"

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

/// The number by which a number is sorted.
template <class T, class Less>
struct NumberKey {
  KeyBits<T> operator()(T value) const {
    const KeyBits<T> bits = to_key_bits(value);
    return kAscending<T, Less> ? bits : static_cast<KeyBits<T>>(~bits);
  }
};

/// How many there are of each becomes the place of the first of each.
inline void counts_to_places(std::span<std::size_t> counts) {
  std::exclusive_scan(counts.begin(), counts.end(), counts.begin(), std::size_t{0});
}

/// Key: the unsigned number `key(value)` by which values are sorted; T: trivially copyable.
template <class T, class Key>
class DigitSort {
  using Bits = std::invoke_result_t<const Key&, const T&>;
  static constexpr int kDigitBits = 8;
  static constexpr std::size_t kDigits = std::size_t{1} << kDigitBits;
  static constexpr int kSpreadBits = 10;
  static constexpr std::size_t kBuckets = std::size_t{1} << kSpreadBits;
  static constexpr std::size_t kCachedBytes = 512 << 10;  // of a bucket and its scratch space
  static constexpr std::ptrdiff_t kFew = 32;

 public:
  explicit DigitSort(Key key) : key_(key) {}

  using Parts = std::span<const std::span<const T>>;

  /// Sorts `values`; `scratch` is as long.
  void sort(std::span<T> values, std::span<T> scratch) const {
    if (stays_cached(values)) return sort_cached(values, scratch);
    const std::span<const T> all[] = {values};
    const Buckets buckets = buckets_of(all);
    if (buckets.width == 0) return;
    spread(all, scratch, buckets);
    for (std::size_t b = 0; b < kBuckets; ++b) {
      const std::span<T> from = buckets.part_of(scratch, b);
      const std::span<T> to = buckets.part_of(values, b);
      if (buckets.shift > 0 && from.size() > 1) sort(from, to);
      std::copy(from.begin(), from.end(), to.begin());
    }
  }

  /// Sorts what is in `parts` into `to`, which has room for all of them.
  void sort_parts(Parts parts, std::span<T> to) const {
    if (stays_cached(to)) {
      auto end = to.begin();
      for (const std::span<const T> part : parts) end = std::copy(part.begin(), part.end(), end);
      std::vector<T> scratch(to.size());
      return sort_cached(to, scratch);
    }
    const Buckets buckets = buckets_of(parts);
    spread(parts, to, buckets);
    if (buckets.shift == 0) return;
    LazyArray<T> scratch(buckets.largest());
    for (std::size_t b = 0; b < kBuckets; ++b) {
      const std::span<T> bucket = buckets.part_of(to, b);
      if (bucket.size() > 1) sort(bucket, std::span<T>(scratch.data(), bucket.size()));
    }
  }

 private:
  /// By the highest digits in which keys differ.
  struct Buckets {
    Bits lowest;  // key
    int width;    // of what keys are above it, in bits
    int shift;
    std::vector<std::size_t> places =
        std::vector<std::size_t>(kBuckets + 1);  // of their beginnings

    std::size_t of(Bits key) const {
      return static_cast<std::size_t>(static_cast<Bits>(key - lowest) >> shift);
    }
    std::span<T> part_of(std::span<T> all, std::size_t bucket) const {
      return all.subspan(places[bucket], places[bucket + 1] - places[bucket]);
    }
    std::size_t largest() const {
      std::size_t most = 0;
      for (std::size_t b = 0; b < kBuckets; ++b) most = std::max(most, places[b + 1] - places[b]);
      return most;
    }
  };

  static bool stays_cached(std::span<const T> values) {
    return values.size_bytes() * 2 <= kCachedBytes;
  }

  Buckets buckets_of(Parts parts) const {
    Bits least = static_cast<Bits>(~Bits{0});
    Bits most = 0;
    for (const std::span<const T> part : parts) {
      for (const T& value : part) {
        least = std::min(least, key_(value));
        most = std::max(most, key_(value));
      }
    }
    const int width = least > most ? 0 : std::bit_width(static_cast<Bits>(most - least));
    Buckets buckets{.lowest = least, .width = width, .shift = std::max(0, width - kSpreadBits)};
    for (const std::span<const T> part : parts)
      for (const T& value : part) ++buckets.places[buckets.of(key_(value))];
    counts_to_places(buckets.places);
    return buckets;
  }

  /// To the places of their buckets, a cache line at a time: so many open lines do not stay in the
  /// nearest cache, and their pages not in the nearest table of translations.
  void spread(Parts parts, std::span<T> to, const Buckets& buckets) const {
    constexpr std::size_t kPerLine = std::max<std::size_t>(1, 64 / sizeof(T));
    struct alignas(64) Line {
      T values[kPerLine];
    };
    std::vector<Line> lines(kBuckets);
    std::vector<std::uint8_t> held(kBuckets);
    std::vector<std::size_t> places = buckets.places;
    for (const std::span<const T> part : parts) {
      for (const T& value : part) {
        const std::size_t b = buckets.of(key_(value));
        lines[b].values[held[b]] = value;
        if (++held[b] == kPerLine) {
          std::copy_n(lines[b].values, kPerLine, to.data() + places[b]);
          places[b] += kPerLine;
          held[b] = 0;
        }
      }
    }
    for (std::size_t b = 0; b < kBuckets; ++b)
      std::copy_n(lines[b].values, held[b], to.data() + places[b]);
  }

  /// What stays in the cache.
  void sort_cached(std::span<T> values, std::span<T> scratch) const {
    if (std::ssize(values) <= kFew) return sort_few(values);
    Bits differing = 0;
    for (const T& value : values)
      differing |= static_cast<Bits>(key_(value) ^ key_(values.front()));
    const auto width = static_cast<int>(std::bit_width(differing));
    if (width == 0) return;
    const int shift = std::max(0, width - 2 * kDigitBits);
    spread_digit(values, scratch, shift);
    spread_digit(scratch, values, shift + kDigitBits);
    if (shift > 0) sort_alike(values, scratch, shift);
  }

  /// In the order of one digit, and where that is the same in the order in which they were.
  void spread_digit(std::span<const T> from, std::span<T> to, int shift) const {
    std::array<std::size_t, kDigits> places{};
    const auto digit = [this, shift](const T& value) {
      return shift < static_cast<int>(sizeof(Bits) * 8)
                 ? static_cast<std::size_t>(key_(value) >> shift & (kDigits - 1))
                 : 0;
    };
    for (const T& value : from) ++places[digit(value)];
    counts_to_places(places);
    for (const T& value : from) to[places[digit(value)]++] = value;
  }

  /// Those that are in order but for the lowest `shift` bits.
  void sort_alike(std::span<T> values, std::span<T> scratch, int shift) const {
    for (std::size_t first = 0; first < values.size();) {
      const Bits high = static_cast<Bits>(key_(values[first]) >> shift);
      std::size_t last = first + 1;
      while (last < values.size() && static_cast<Bits>(key_(values[last]) >> shift) == high) ++last;
      if (last - first > 1)
        sort_cached(values.subspan(first, last - first), scratch.subspan(first, last - first));
      first = last;
    }
  }

  void sort_few(std::span<T> values) const {
    for (std::size_t i = 1; i < values.size(); ++i) {
      const T value = values[i];
      std::size_t place = i;
      for (; place > 0 && key_(value) < key_(values[place - 1]); --place)
        values[place] = values[place - 1];
      values[place] = value;
    }
  }

  Key key_;
};

/// Sorts `values` by the unsigned numbers key(value); `scratch` is as long.
template <class T, class Key>
void sort_by_digits(std::span<T> values, std::span<T> scratch, Key key) {
  DigitSort<T, Key>(key).sort(values, scratch);
}

/// Sorts what is in `parts` by these numbers into `to`, which has room for all of them.
template <class T, class Key>
void sort_parts_by_digits(std::span<const std::span<const T>> parts, std::span<T> to, Key key) {
  DigitSort<T, Key>(key).sort_parts(parts, to);
}

}  // namespace grappa::internal
