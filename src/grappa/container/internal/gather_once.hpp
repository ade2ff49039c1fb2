#pragma once

// Gathers elements by number, each only once where the numbers repeat.
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

/// gather(numbers, out) of each number once, then copies.
template <class T, class Gather>
void gather_once(std::span<const std::int64_t> numbers, std::span<T> out, const Gather& gather) {
  if (!here().locale.config.combining || !many_repeat(numbers)) return gather(numbers, out);
  KeyIndex<std::int64_t, std::uint32_t> places;
  std::vector<std::int64_t> different;
  std::vector<T> values;
  // Piece by piece, so that what is remembered stays in the cache.
  constexpr std::size_t kPiece = 1 << 16;
  for (std::size_t first = 0; first < numbers.size(); first += kPiece) {
    const auto piece = numbers.subspan(first, std::min(kPiece, numbers.size() - first));
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

}  // namespace grappa::internal
