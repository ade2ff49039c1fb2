#pragma once

// Gathers and scatters elements by number, each only once where the numbers repeat.
//
// A sample tells whether they do: sorting out the repeated ones costs more than fetching a few of
// them twice. Config::combining switches it off.

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "grappa/container/internal/key_index.hpp"
#include "grappa/tasking/core.hpp"

namespace grappa::internal {

/// Whether enough of the numbers repeat: half of some that lie close together in the list. Where
/// fewer do, as in numbers by Zipf's law, fetching them all is up to twice as fast.
inline bool many_repeat(std::span<const std::int64_t> numbers) {
  constexpr std::size_t kSample = 1024;
  if (numbers.size() < kSample) return false;
  std::array<std::int64_t, kSample> sample{};
  std::copy_n(numbers.begin() + static_cast<std::ptrdiff_t>((numbers.size() - kSample) / 2),
              kSample, sample.begin());
  std::sort(sample.begin(), sample.end());
  const auto different = std::unique(sample.begin(), sample.end()) - sample.begin();
  return static_cast<std::size_t>(different) <= kSample / 2;
}

inline bool should_merge(std::span<const std::int64_t> numbers) {
  return here().locale.config.combining && many_repeat(numbers);
}

/// How many numbers are looked at together: what is remembered of them stays in the cache.
inline constexpr std::size_t kMergedPiece = 1 << 16;

/// gather(numbers, out) of each number once, then copies.
template <class T, class Gather>
void gather_once(std::span<const std::int64_t> numbers, std::span<T> out, const Gather& gather) {
  if (!should_merge(numbers)) return gather(numbers, out);
  KeyIndex<std::int64_t, std::uint32_t> places;
  std::vector<std::int64_t> different;
  std::vector<T> values;
  for (std::size_t first = 0; first < numbers.size(); first += kMergedPiece) {
    const auto piece = numbers.subspan(first, std::min(kMergedPiece, numbers.size() - first));
    std::vector<std::uint32_t> place_of(piece.size());
    for (std::size_t k = 0; k < piece.size(); ++k) {
      // One more than the place, since new ones are 0.
      std::uint32_t& place =
          *places.find_or_add(piece[k], hash_number(static_cast<std::uint64_t>(piece[k])));
      if (place == 0) {
        different.push_back(piece[k]);
        place = static_cast<std::uint32_t>(different.size());
      }
      place_of[k] = place - 1;
    }
    values.resize(different.size());
    gather(std::span<const std::int64_t>(different), std::span<T>(values));
    for (std::size_t k = 0; k < piece.size(); ++k) out[first + k] = values[place_of[k]];
    places.clear();
    different.clear();
  }
}

/// scatter(number, value) of each number, with the last of its values in a piece.
template <class T, class Scatter>
void scatter_once(std::span<const std::int64_t> numbers, std::span<const T> values,
                  const Scatter& scatter) {
  if (!should_merge(numbers)) {
    for (std::size_t k = 0; k < numbers.size(); ++k) scatter(numbers[k], values[k]);
    return;
  }
  KeyIndex<std::int64_t, std::size_t> last;
  for (std::size_t first = 0; first < numbers.size(); first += kMergedPiece) {
    const std::size_t end = std::min(first + kMergedPiece, numbers.size());
    for (std::size_t k = first; k < end; ++k)
      *last.find_or_add(numbers[k], hash_number(static_cast<std::uint64_t>(numbers[k]))) = k;
    for (const auto& [number, k, hash] : last.items()) scatter(number, values[k]);
    last.clear();
  }
}

}  // namespace grappa::internal
