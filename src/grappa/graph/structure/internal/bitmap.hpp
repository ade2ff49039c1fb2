#pragma once

// Sets of vertices, one bit a vertex, in memory that all cores of a locale use.

#include <atomic>
#include <bit>
#include <cstdint>

#include "grappa/graph/structure/graph.hpp"

namespace grappa::graph {

inline constexpr std::int64_t kBitsPerWord = 64;

inline std::int64_t bitmap_words(std::int64_t bits) {
  return (bits + kBitsPerWord - 1) / kBitsPerWord;
}

inline bool test_bit(const std::uint64_t* words, std::uint64_t i) {
  return (words[i / 64] >> (i % 64) & 1) != 0;
}

/// As test_bit, while other cores set bits.
inline bool test_bit_shared(std::uint64_t* words, std::uint64_t i) {
  return (std::atomic_ref(words[i / 64]).load(std::memory_order_relaxed) >> (i % 64) & 1) != 0;
}

/// Test-and-set: sets a bit; true if this call did, and it was not set before. Memory ordering:
/// relaxed.
inline bool claim_bit(std::uint64_t* words, std::uint64_t i) {
  const std::uint64_t bit = std::uint64_t{1} << (i % 64);
  return (std::atomic_ref(words[i / 64]).fetch_or(bit, std::memory_order_relaxed) & bit) == 0;
}

/// claim_bit where no other core uses the set: without a locked instruction, which would wait for
/// all earlier writes.
inline bool claim_bit_alone(std::uint64_t* words, std::uint64_t i) {
  const std::uint64_t bit = std::uint64_t{1} << (i % 64);
  const std::uint64_t word = words[i / 64];
  if ((word & bit) != 0) return false;
  words[i / 64] = word | bit;
  return true;
}

/// claim_bit for bits that are mostly set already: looks first. kAlone: no other core uses the set.
template <bool kAlone>
bool claim_unset_bit(std::uint64_t* words, std::uint64_t i) {
  if constexpr (kAlone) {
    return claim_bit_alone(words, i);
  } else {
    return !test_bit_shared(words, i) && claim_bit(words, i);
  }
}

/// Sets the bits behind the last vertex, where there are none, to the end of its word.
inline void set_bits_behind(std::uint64_t* words, std::int64_t end) {
  if (end % kBitsPerWord != 0) words[end / kBitsPerWord] |= ~std::uint64_t{0} << end % kBitsPerWord;
}

/// Of the vertices whose bits are set in `bits`, word `word` of a set, the bits of those for which
/// chooses(v) is true. In ascending order.
template <class Chooses>
std::uint64_t bits_where(std::uint64_t bits, std::int64_t word, Chooses chooses) {
  std::uint64_t chosen = 0;
  for (; bits != 0; bits &= bits - 1) {
    if (chooses(static_cast<VertexId>(word * kBitsPerWord + std::countr_zero(bits))))
      chosen |= bits & -bits;
  }
  return chosen;
}

/// use(v) for the vertices whose bits are set in `bits`, which is word `word` of a set; ascending.
template <class Use>
void for_each_bit(std::uint64_t bits, std::int64_t word, Use use) {
  for (; bits != 0; bits &= bits - 1)
    use(static_cast<VertexId>(word * kBitsPerWord + std::countr_zero(bits)));
}

/// use(v) for the vertices v of words [first, last).
template <class Use>
void for_each_bit(const std::uint64_t* words, std::int64_t first, std::int64_t last, Use use) {
  for (std::int64_t word = first; word < last; ++word) for_each_bit(words[word], word, use);
}

}  // namespace grappa::graph
