#pragma once

// Which of the vertices of smallest rank, the hubs, are adjacent: the lower half of a matrix of
// bits.
//
//   const HubMatrix hubs(memory);                 // [HubMatrix::words(n)], zeros at first
//   hubs.set(v, w);                               // w < v < n
//   std::uint64_t common = count_common(hubs.row(v), marks, HubMatrix::row_words(v));
//
// The row of v has bits 0 to v - 1, rounded up to 512, which is a vector register and a cache line:
// an intersection with a bitmap of marks counts 512 neighbors at a time, and the largest hubs have
// the shortest rows.

#include <bit>
#include <cstdint>

namespace grappa::graph {

class HubMatrix {
 public:
  HubMatrix() = default;
  explicit HubMatrix(std::uint64_t* memory) : words_(memory) {}

  static std::int64_t row_words(std::int64_t v) { return (v / kRowBits + 1) * kRowWords; }
  /// The words before row v; of n rows.
  static std::int64_t words(std::int64_t v) {
    const std::int64_t group = v / kRowBits;  // of rows of the same length
    return group * (group + 1) / 2 * kRowWords * kRowBits + v % kRowBits * row_words(v);
  }

  const std::uint64_t* row(std::int64_t v) const { return words_ + words(v); }
  void set(std::int64_t v, std::uint64_t w) const {
    words_[words(v) + static_cast<std::int64_t>(w / 64)] |= std::uint64_t{1} << (w % 64);
  }

 private:
  static constexpr std::int64_t kRowBits = 512;
  static constexpr std::int64_t kRowWords = kRowBits / 64;

  std::uint64_t* words_ = nullptr;
};

inline std::uint64_t count_common(const std::uint64_t* a, const std::uint64_t* b,
                                  std::int64_t words) {
  std::uint64_t count = 0;
  for (std::int64_t i = 0; i < words; ++i)
    count += static_cast<std::uint64_t>(std::popcount(a[i] & b[i]));
  return count;
}

}  // namespace grappa::graph
