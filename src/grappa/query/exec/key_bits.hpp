#pragma once

// KeyBits: a set of integers that are near to one another, a bit each.
//
//   KeyBits kept(1, 6'000'000);                         // for keys from the least to the greatest
//   kept.insert(key);                                   // by any core
//   const std::size_t count = kept.select(batch, batch.columns[0], chosen);
//
// Which of them have a partner is known before anything is hashed.

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <type_traits>
#include <utility>

#include "grappa/query/exec/zeroed_words.hpp"
#include "grappa/query/memory_budget.hpp"
#include "grappa/query/type.hpp"
#include "grappa/query/vector.hpp"

namespace grappa::query {

/// Whether its values are integers of up to 64 bits.
inline bool is_integer(const Type& type) {
  return type.is_counted() && type.physical() != Physical::kInt128;
}

/// f<T>() for the physical type of one of which is_integer() holds.
template <class F>
void with_integer(const Type& type, F&& f) {
  with_physical(type.physical(), [&]<class T>() {
    if constexpr (std::is_integral_v<T>) f.template operator()<T>();
  });
}

/// Places of integers from `least` on; all that are not below `end` have that one.
class KeyPlaces {
 public:
  KeyPlaces() = default;
  KeyPlaces(std::int64_t least, std::uint64_t end)
      : least_(static_cast<std::uint64_t>(least)), end_(end) {}

  std::uint64_t of(std::int64_t key) const {
    return std::min(static_cast<std::uint64_t>(key) - least_, end_);
  }
  std::uint64_t end() const { return end_; }
  /// take(i, place) for the i-th selected row, whatever it is where the key is NULL.
  template <class Take>
  void for_each(const Batch& batch, const Vector& key, Take take) const {
    with_integer(key.type, [&]<class T>() {
      with_places(batch, key, [&, values = key.data<T>()](auto place_of) {
        const KeyPlaces places = *this;
        const std::size_t count = batch.count;
        for (std::size_t i = 0; i < count; ++i) take(i, places.of(values[place_of(i)]));
      });
    });
  }

 private:
  std::uint64_t least_ = 0;
  std::uint64_t end_ = 0;
};

class KeyBits {
 public:
  KeyBits() = default;
  KeyBits(std::int64_t least, std::int64_t greatest, MemoryBudget* budget = nullptr)
      : places_(least,
                static_cast<std::uint64_t>(greatest) - static_cast<std::uint64_t>(least) + 1),
        words_(words_for_bits(places_.end() + 1), budget) {}

  bool empty() const { return words_.empty(); }
  std::size_t count() const {
    return std::accumulate(words_.begin(), words_.end(), std::size_t{0}, [](auto sum, auto word) {
      return sum + static_cast<std::size_t>(std::popcount(word));
    });
  }

  void insert(std::int64_t key) {
    const std::uint64_t place = places_.of(key);
    std::atomic_ref<std::uint64_t> word(words_[place / 64]);
    const std::uint64_t bit = std::uint64_t{1} << (place % 64);
    if ((word.load(std::memory_order_relaxed) & bit) == 0)
      word.fetch_or(bit, std::memory_order_relaxed);
  }

  /// Numbers of those of the selected rows whose key is there, ascending. Returns how many.
  std::size_t select(const Batch& batch, const Vector& key, std::uint16_t* chosen) const {
    std::size_t kept = 0;
    const std::uint64_t* const words = words_.begin();
    places_.for_each(batch, key, [&kept, words, chosen](std::size_t i, std::uint64_t place) {
      chosen[kept] = static_cast<std::uint16_t>(i);
      kept += bit_at(words, place) ? 1 : 0;
    });
    return kept;
  }

 private:
  KeyPlaces places_;
  ZeroedWords words_;
};

}  // namespace grappa::query
