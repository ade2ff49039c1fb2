#pragma once

// For tests: the machines on which a behavior must be the same.
//
//   class MyTest : public OnMachines {};
//   TEST_P(MyTest, AddsUp) { run(config(), [] { … }); }
//   GRAPPA_ON_MACHINES(MyTest);

#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include "grappa/base/config.hpp"
#include "grappa/parallel/runtime.hpp"
#include "grappa/parallel/test_processors.hpp"

namespace grappa {

/// One locale of `cores` cores, each with a thread of its own, as far as the machine has them.
inline Config real_cores(int cores) {
  Config config;
  config.cores = cores;
  config.simulated = cores > test_processors();
  config.pin = false;  // several tests run side by side
  config.max_forall_workers = 64;
  return config;
}

/// Simulated locales under the virtual clock, with packets that overtake one another.
inline Config deterministic_locales(int locales, int cores_each = 1, std::uint64_t seed = 1) {
  Config config = real_cores(cores_each);
  config.locales = locales;
  config.simulated = true;
  config.simulation.mode = SimulationMode::kDeterministic;
  config.simulation.latency_ns = 2'000;
  config.simulation.reorder = 0.5;
  config.simulation.seed = seed;
  return config;
}

/// Simulated locales with real threads and time, with packets that overtake one another.
inline Config timed_locales(int locales, int cores_each = 1) {
  Config config = deterministic_locales(locales, cores_each);
  config.simulation.mode = SimulationMode::kTimed;
  return config;
}

/// f(core) for every core, the calling one included.
template <class F>
void for_each_core(const F& f) {
  for (int core = 0; core < core_count(); ++core) f(core);
}

struct Machine {
  std::string name;
  Config config;
  friend std::ostream& operator<<(std::ostream& out, const Machine& machine) {
    return out << machine.name;
  }
};

inline std::vector<Machine> machines() {
  Config tight = timed_locales(2, 2);
  tight.chunk_bytes = 1024;                   // hardly a message fits
  Config grid = deterministic_locales(7, 2);  // the last row of the grid is not full
  grid.route = RoutePolicy::kTwoHop;
  Config served = timed_locales(3, 1);  // each with a thread that moves its packets
  served.comm_core = true;
  return {{"OneCore", real_cores(1)},
          {"TwoCores", real_cores(2)},
          {"TwoLocales", timed_locales(2)},
          {"TwoLocalesOfTwoCoresWithTinyChunks", tight},
          {"ThreeDeterministicLocalesOfTwoCores", deterministic_locales(3, 2)},
          {"EightDeterministicLocales", deterministic_locales(8)},
          {"SevenDeterministicLocalesInTwoHops", grid},
          {"ThreeLocalesWithCommunicationCores", served}};
}

class OnMachines : public testing::TestWithParam<Machine> {
 protected:
  const Config& config() const { return GetParam().config; }
};

#define GRAPPA_ON_MACHINES(Fixture)                                    \
  INSTANTIATE_TEST_SUITE_P(On, Fixture, testing::ValuesIn(machines()), \
                           [](const auto& test) { return test.param.name; })

}  // namespace grappa
