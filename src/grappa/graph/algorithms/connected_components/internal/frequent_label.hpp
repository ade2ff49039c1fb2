#pragma once

// The label that most vertices probably have: connected components and spanning forests skip the
// vertices with it once most of the graph is one component.
//
//   VertexId label = frequent_of(n, [labels](std::uint64_t v) { return labels[v]; });
//
// It looks at a fixed sample, so the result is the same for the same labels.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "grappa/graph/exec/tuning.hpp"
#include "grappa/graph/structure/graph.hpp"

namespace grappa::graph {

/// The most frequent of some values; the smallest if there are several.
inline VertexId most_frequent(std::vector<VertexId> values) {
  std::ranges::sort(values);
  VertexId best = values.front();
  std::ptrdiff_t most = 0;
  for (auto first = values.begin(); first != values.end();) {
    const auto last = std::upper_bound(first, values.end(), *first);
    if (last - first > most) {
      most = last - first;
      best = *first;
    }
    first = last;
  }
  return best;
}

/// n * (fraction / 2^32), for a fraction below 2^32 and any n below 2^63.
inline std::uint64_t scaled(std::uint64_t fraction, std::uint64_t n) {
  return fraction * (n >> 32) + (fraction * (n & 0xffffffff) >> 32);
}

/// The most frequent value(v) over a sample of v in [0, n). n > 0.
template <class ValueOf>
VertexId frequent_of(std::int64_t n, ValueOf value) {
  std::vector<VertexId> sample;
  sample.reserve(tuning::kSamples);
  // A fixed stride around the circle hits all regions evenly.
  constexpr std::uint64_t kGoldenRatio = 0x9E3779B97F4A7C15;
  std::uint64_t at = 0;
  for (std::int64_t i = 0; i < tuning::kSamples; ++i) {
    at += kGoldenRatio;
    sample.push_back(value(scaled(at >> 32, static_cast<std::uint64_t>(n))));
  }
  return most_frequent(std::move(sample));
}

}  // namespace grappa::graph
