#pragma once

// Brings the first n elements of a distributed array to the caller, as a plain vector in ascending
// order: for printing and checking results.
//
//   std::vector<double> rank = collect(result.rank, graph.vertex_count());
//
// Called by one task; switches tasks.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "grappa/container/global_array.hpp"
#include "grappa/delegate/delegate.hpp"
#include "grappa/parallel/runtime.hpp"

namespace grappa::graph {

template <class T>
std::vector<T> collect(const GlobalArray<T>& array, std::int64_t n) {
  std::vector<T> values(static_cast<std::size_t>(n));
  if (locale_count() == 1) {
    const std::span<T> all = array.locale_part();
    std::copy_n(all.begin(), n, values.begin());
    return values;
  }
  const auto base = GlobalAddress<T>::of_local(values.data());
  array.forall([=](std::int64_t i, T& value) {
    if (i < n) delegate::async::write(base + i, value);
  });
  return values;
}

}  // namespace grappa::graph
