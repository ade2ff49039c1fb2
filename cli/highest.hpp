#pragma once

// The top of a kernel's list.

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

namespace grappa::cli {

/// The vertices with the k highest values, the smaller one first among equals.
template <class T>
std::vector<std::int64_t> highest(const std::vector<T>& values, std::int64_t k) {
  std::vector<std::int64_t> order(values.size());
  std::iota(order.begin(), order.end(), std::int64_t{0});
  const auto kept = order.begin() + std::min(k, static_cast<std::int64_t>(order.size()));
  std::partial_sort(order.begin(), kept, order.end(), [&values](std::int64_t a, std::int64_t b) {
    const T& value_a = values[static_cast<std::size_t>(a)];
    const T& value_b = values[static_cast<std::size_t>(b)];
    return value_a != value_b ? value_a > value_b : a < b;
  });
  order.erase(kept, order.end());
  return order;
}

}  // namespace grappa::cli
