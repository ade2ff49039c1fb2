#pragma once

// Loops whose neighboring grains are on different cores, and arrays whose place in the cache lines
// is given: what false sharing needs.
//
//   LineArray<double> rank(n, 4);          // begins in the middle of a line
//   for_interleaved_grains(n, 8, [at = rank.data()](int64_t first, int64_t last) {
//     for (int64_t v = first; v < last; ++v) at[v] = 0;
//   });

#include <algorithm>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>

#include "grappa/grappa.hpp"

namespace grappa::bench {

inline constexpr std::int64_t kLineBytes = 64;

/// Elements that begin so many elements off a cache line. Not initialized.
template <class T>
  requires std::is_trivial_v<T>
class LineArray {
 public:
  static constexpr std::int64_t kPerLine = kLineBytes / static_cast<std::int64_t>(sizeof(T));

  LineArray(std::int64_t length, std::int64_t offset)
      : memory_(static_cast<T*>(
            ::operator new(static_cast<std::size_t>(length + kPerLine) * sizeof(T), kAlignment))),
        offset_(offset) {}

  T* data() const { return memory_.get() + offset_; }
  /// Moves the beginning, 0 <= offset <= kPerLine; what is where has no meaning then.
  void set_offset(std::int64_t offset) { offset_ = offset; }

 private:
  static constexpr std::align_val_t kAlignment{kLineBytes};
  struct Free {
    void operator()(T* memory) const { ::operator delete(memory, kAlignment); }
  };
  std::unique_ptr<T, Free> memory_;
  std::int64_t offset_;
};

template <class F>
struct InterleavedGrains {
  std::int64_t n;
  std::int64_t grain;
  std::int64_t turns;  // of each core
  std::int64_t cores;
  [[no_unique_address]] F body;

  void operator()(std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t first = (i % turns * cores + i / turns) * grain;
      if (first < n) body(first, std::min(n, first + grain));
    }
  }
};

/// body(first, last) for the grains of [0, n), by the cores of the calling locale: core k has
/// grains k, k + cores, k + 2 cores, …, until one that has finished takes over what another one has
/// left.
template <class F>
void for_interleaved_grains(std::int64_t n, std::int64_t grain, F body) {
  if (n <= 0) return;
  const std::int64_t cores = cores_per_locale();
  const std::int64_t grains = (n + grain - 1) / grain;
  const std::int64_t turns = (grains + cores - 1) / cores;
  forall_range_here(0, turns * cores, {.grain = 1},
                    InterleavedGrains<F>{n, grain, turns, cores, body});
}

}  // namespace grappa::bench
