#pragma once

// What ends a stage without moving its values to other cores.
//
//   skipped += keep_values<int>(pipeline, values);
//
// Each is called by one task, switches tasks, and returns how many records were skipped, beside
// what it is called for.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "grappa/io/output_file.hpp"
#include "grappa/mapreduce/internal/bulk.hpp"
#include "grappa/mapreduce/internal/core_state.hpp"
#include "grappa/mapreduce/internal/stage.hpp"
#include "grappa/mapreduce/kept.hpp"
#include "grappa/parallel/owned.hpp"

namespace grappa::mapreduce::detail {

template <class T>
struct KeepSink {
  Bulk<T> values;
  template <class Value>
  void operator()(Value&& value) {
    values.push_back(kept<T>(std::forward<Value>(value)));
  }
};

/// Puts each core's values into its vector.
template <class T, class Pipeline>
std::int64_t keep_values(const Pipeline& pipeline, const CoreState<Bulk<T>>& values) {
  using Sink = KeepSink<T>;
  return run_stage(
      pipeline, [] { return Sink(); },
      [values](Sink& sink) { values.mine() = std::move(sink.values); });
}

template <class U, class Take>
struct ResultSink {
  U result;
  Take take;
  template <class Value>
  void operator()(Value&& value) {
    take(result, std::forward<Value>(value));
  }
};

/// One result of each core, in the order of the cores: made by make(), and changed by
/// take(result, value).
template <class U, class Pipeline, class Make, class Take>
std::vector<U> results_of_cores(const Pipeline& pipeline, Make make, Take take,
                                std::int64_t& skipped) {
  using Sink = ResultSink<U, Take>;
  const Owned<CoreState<U>> results = CoreState<U>::create();
  skipped += run_stage(
      pipeline, [make, take] { return Sink{make(), take}; },
      [results = *results](Sink& sink) { results.mine() = std::move(sink.result); });
  return gather_values([results = *results] { return std::move(results.mine()); });
}

/// The first k by before(a, b).
template <class T, class Before>
void keep_first(std::vector<T>& values, std::size_t k, Before& before) {
  if (values.size() > k) {
    std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(k), values.end(),
                     before);
    values.erase(values.begin() + static_cast<std::ptrdiff_t>(k), values.end());
  }
}

/// Writes the texts of all cores, in their order. Called by one task; switches tasks.
void write_texts(const CoreState<std::string>& texts, io::OutputFile& out);

}  // namespace grappa::mapreduce::detail
