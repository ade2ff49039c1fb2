#pragma once

// Sorts an array in the memory of one core.
//
//   internal::local_sort(std::span(values), std::span(scratch), std::less<>{});
//
// Integers and floating-point numbers in ascending or descending order (std::less, std::greater) go
// by their digits, and so does what has a number for a key (sort_by_digits); everything else by
// comparisons. Digits: one pass spreads a large array over buckets that stay in the second-level
// cache, by the highest digits in which its keys differ; a bucket is sorted by the sixteen highest
// bits in which its keys differ, from the lowest digit on, and what is then still the same by the
// next ones (as in the hybrid of P. McIlroy, K. Bostic, M. McIlroy, "Engineering radix sort",
// Computing Systems 1993, and the LSD sort of J. Wassenberg and P. Sanders, "Engineering a
// multi-core radix sort", Euro-Par 2011). So random keys take three passes, whatever their width,
// and digits in which all agree take none.
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

  /// Sorts `values`; `scratch` is as long.
  void sort(std::span<T> values, std::span<T> scratch) const {
    if (values.size_bytes() * 2 <= kCachedBytes) return sort_cached(values, scratch);
    const auto [least, most] = range_of(values);
    const auto width = static_cast<int>(std::bit_width(static_cast<Bits>(most - least)));
    if (width == 0) return;
    const int shift = std::max(0, width - kSpreadBits);
    const auto bucket = [this, lowest = least, shift](const T& value) {
      return static_cast<std::size_t>(static_cast<Bits>(key_(value) - lowest) >> shift);
    };
    std::vector<std::size_t> places(kBuckets + 1);
    for (const T& value : values) ++places[bucket(value)];
    counts_to_places(places);
    spread(values, scratch, std::vector<std::size_t>(places), bucket);
    for (std::size_t b = 0; b < kBuckets; ++b) {
      const std::size_t size = places[b + 1] - places[b];
      const std::span<T> from = scratch.subspan(places[b], size);
      const std::span<T> to = values.subspan(places[b], size);
      if (shift > 0 && size > 1) sort(from, to);
      std::copy(from.begin(), from.end(), to.begin());
    }
  }

 private:
  std::pair<Bits, Bits> range_of(std::span<const T> values) const {
    Bits least = static_cast<Bits>(~Bits{0});
    Bits most = 0;
    for (const T& value : values) {
      least = std::min(least, key_(value));
      most = std::max(most, key_(value));
    }
    return {least, most};
  }

  /// To the places of their buckets, a cache line at a time: so many open lines do not stay in the
  /// nearest cache, and their pages not in the nearest table of translations.
  template <class Bucket>
  static void spread(std::span<const T> values, std::span<T> to, std::vector<std::size_t> places,
                     const Bucket& bucket) {
    constexpr std::size_t kPerLine = std::max<std::size_t>(1, 64 / sizeof(T));
    struct alignas(64) Line {
      T values[kPerLine];
    };
    std::vector<Line> lines(kBuckets);
    std::vector<std::uint8_t> held(kBuckets);
    for (const T& value : values) {
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

/// Sorts `values`; `scratch` is as long, and is used where digits are.
template <class T, class Less>
void local_sort(std::span<T> values, std::span<T> scratch, Less less) {
  if constexpr (kSortsByDigits<T, Less>) {
    sort_by_digits(values, scratch, [](T value) {
      const KeyBits<T> bits = to_key_bits(value);
      return kAscending<T, Less> ? bits : static_cast<KeyBits<T>>(~bits);
    });
  } else {
    std::sort(values.begin(), values.end(), less);
  }
}

}  // namespace grappa::internal
