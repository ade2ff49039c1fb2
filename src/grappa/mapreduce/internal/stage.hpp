#pragma once

// A stage: one pass of all cores over the values of a pipeline.
//
//   run_stage(pipeline, [] { return [](int value) { use(value); }; }, [](auto&) {});
//
// make() and then end(sink) run on every core, and sink(value) for each of its values in between.
// Returns the number of records that were skipped. Called by one task; switches tasks.

#include <cstdint>
#include <utility>
#include <vector>

#include "grappa/base/serialize.hpp"
#include "grappa/parallel/collectives.hpp"
#include "grappa/parallel/spawn.hpp"

namespace grappa::mapreduce::detail {

template <class Pipeline, class Make, class End>
std::int64_t run_stage(const Pipeline& pipeline, Make make, End end) {
  pipeline.prepare();
  on_all_cores([pipeline, make, end]() mutable {
    auto sink = make();
    pipeline.run(sink);
    end(sink);
  });
  return pipeline.finish();
}

/// f() of every core, a value of any kind, in the order of the cores.
template <class F>
auto gather_values(F f) {
  using T = std::invoke_result_t<F&>;
  std::vector<T> values;
  for (const std::vector<std::byte>& bytes : gather_cores([f]() mutable { return to_bytes(f()); }))
    values.push_back(from_bytes<T>(bytes));
  return values;
}

}  // namespace grappa::mapreduce::detail
