#pragma once

// MapReduce over an array, as the paper has it (atc15, section 4.3): mappers emit pairs, which are
// combined at the core that emits them and then at the owner of their key; reducers see each key
// once.
//
//   const Owned<GlobalArray<std::int64_t>> numbers = GlobalArray<std::int64_t>::create(1000);
//   const auto sums = map_reduce<std::pair<std::int64_t, std::int64_t>>(
//       *numbers,
//       [](std::int64_t number, auto emit) { emit(std::pair(number % 10, number)); },  // map
//       std::plus<>(),                                                                 // combine
//       [](const auto& pair) { return std::pair(pair.first, pair.second / 10); });     // reduce
//   for (const auto& [digit, tenth] : sums.collect()) use(digit, tenth);
//
// What it returns is a dataset of what the reducers return, which are called by its terminals: an
// iteration may go on with it. All else is as in dataset.hpp.

#include "grappa/container/global_array.hpp"
#include "grappa/mapreduce/dataset.hpp"

namespace grappa::mapreduce {

/// Pair: what map(element, emit) emits.
template <class Pair, class T, class Map, class Combine, class Reduce>
auto map_reduce(const GlobalArray<T>& input, Map map, Combine combine, Reduce reduce) {
  return from(input).template flat_map<Pair>(map).reduce_by_key(combine).map(reduce);
}

}  // namespace grappa::mapreduce
