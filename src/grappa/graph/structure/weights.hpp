#pragma once

// The weights of a graph's edges, in the narrowest form that holds them exactly.
//
//   visit_weights(graph.weight_type(), [&](auto weight) {
//     using W = decltype(weight);                    // UnitWeight, uint8_t, uint32_t or double
//     const auto weights = graph.out().template weights<W>(v);
//     use(weights[0]);                               // of the edge to neighbors(v)[0]
//   });
//
// Most weights in files are small integers: a byte each takes an eighth of the memory and of the
// bandwidth that doubles take. Usable outside a run.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

namespace grappa::graph {

enum class WeightType : std::uint8_t {
  kNone,   // every edge counts 1
  kByte,   // integers 0 ... 255
  kWord,   // integers below 2^32
  kDouble  // all else
};

constexpr std::size_t weight_bytes(WeightType type) {
  constexpr std::size_t kBytes[] = {0, 1, 4, 8};
  return kBytes[static_cast<std::size_t>(type)];
}

/// The range of some weights, and whether all are integers (true of none).
struct WeightRange {
  double least = std::numeric_limits<double>::infinity();
  double greatest = -std::numeric_limits<double>::infinity();
  bool integral = true;

  void add(double weight) {
    least = std::min(least, weight);
    greatest = std::max(greatest, weight);
    integral = integral &&
               static_cast<double>(static_cast<std::uint32_t>(std::clamp(weight, 0.0, kMaxWord))) ==
                   weight;
  }
  void add(const WeightRange& other) {
    least = std::min(least, other.least);
    greatest = std::max(greatest, other.greatest);
    integral = integral && other.integral;
  }
  /// The narrowest type for all of them.
  WeightType type() const {
    if (!integral) return WeightType::kDouble;
    return greatest <= 255 ? WeightType::kByte : WeightType::kWord;
  }

 private:
  static constexpr double kMaxWord = 4294967295.0;
};

inline WeightRange range_of(std::span<const double> weights) {
  WeightRange range;
  for (const double weight : weights) range.add(weight);
  return range;
}

/// Stands for the weights of a graph that has none.
struct UnitWeight {
  constexpr operator std::uint8_t() const { return 1; }
};

/// The weights of one row where there are none: as many ones as are asked for.
struct UnitWeights {
  constexpr UnitWeight operator[](std::size_t) const { return {}; }
};

/// Calls f(W{}) for the type in which weights are stored.
template <class F>
decltype(auto) visit_weights(WeightType type, F f) {
  switch (type) {
    case WeightType::kByte:
      return f(std::uint8_t{});
    case WeightType::kWord:
      return f(std::uint32_t{});
    case WeightType::kDouble:
      return f(double{});
    case WeightType::kNone:
      break;
  }
  return f(UnitWeight{});
}

}  // namespace grappa::graph
