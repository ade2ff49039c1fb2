#pragma once

// The configurations through which tests of the runtime go.
//
//   test::run_in(test::all_shapes(), [] { … });

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "grappa/base/config.hpp"
#include "grappa/parallel/runtime.hpp"
#include "grappa/parallel/test_processors.hpp"

namespace grappa::test {

/// One locale on real threads, of `cores` cores or as many as this machine has.
inline Config threads(int cores) {
  Config config;
  config.cores = std::min(cores, test_processors());
  config.pin = false;  // tests of one machine run side by side
  return config;
}

/// A simulated cluster on real threads.
inline Config cluster(int locales, int cores_each) {
  Config config;
  config.cores = cores_each;
  config.locales = locales;
  config.pin = false;
  config.simulation.latency_ns = 2000;
  config.simulation.reorder = 0.1;
  return config;
}

/// A simulated cluster on one thread; everything that happens follows from the seed.
inline Config deterministic(int locales, int cores_each, std::uint64_t seed) {
  Config config = cluster(locales, cores_each);
  config.simulation.mode = SimulationMode::kDeterministic;
  config.simulation.seed = seed;
  config.shuffle = true;
  return config;
}

/// A simulated cluster whose messages take up to two hops.
inline Config two_hops(int locales, int cores_each, std::uint64_t seed) {
  Config config = deterministic(locales, cores_each, seed);
  config.route = RoutePolicy::kTwoHop;
  return config;
}

/// One core, the cores of this machine, and simulated clusters of 2, 6 and 8 locales.
inline std::vector<Config> all_shapes() {
  return {threads(1),
          threads(2),
          cluster(2, 2),
          deterministic(1, 1, 1),
          deterministic(1, 3, 2),
          deterministic(2, 2, 3),
          deterministic(8, 1, 4),
          two_hops(6, 2, 5)};
}

/// How many tasks to make: `n`, or fewer under TSan, where a stack costs a millisecond.
constexpr std::int64_t tasks(std::int64_t n) {
#ifdef GRAPPA_TSAN
  return n / 10;
#else
  return n;
#endif
}

inline std::string describe(const Config& config) {
  if (!config.is_simulated()) return fmt::format("{} cores", config.cores);
  const bool timed = config.simulation.mode == SimulationMode::kTimed;
  return fmt::format("{} simulation, {} locales of {} cores, seed {}",
                     timed ? "timed" : "deterministic", config.locales, config.cores,
                     config.simulation.seed);
}

/// A run of `body` in each of the shapes.
template <class F>
void run_in(const std::vector<Config>& shapes, const F& body) {
  for (const Config& config : shapes) {
    SCOPED_TRACE(describe(config));
    run(config, body);
  }
}

}  // namespace grappa::test
