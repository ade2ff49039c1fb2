#pragma once

// For tests: the machines on which a behavior must be the same.
//
//   test::on_machines([] { … });                 // a run on each of them, in one test
//
// or, as a test for each:
//   class MyTest : public test::OnMachines {};
//   TEST_P(MyTest, AddsUp) { run(config(), [] { … }); }
//   GRAPPA_ON_MACHINES(MyTest);

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "grappa/base/config.hpp"
#include "grappa/parallel/runtime.hpp"
#include "grappa/parallel/test_processors.hpp"

namespace grappa::test {

/// One locale of `cores` cores, each with a thread of its own, as far as this machine has them.
inline Config threads(int cores) {
  Config config;
  config.cores = cores;
  config.simulated = cores > test_processors();
  config.pin = false;  // tests of one machine run side by side
  config.max_forall_workers = 64;
  return config;
}

/// A simulated cluster with real threads and time, with packets that overtake one another.
inline Config cluster(int locales, int cores_each = 1) {
  Config config = threads(cores_each);
  config.locales = locales;
  config.simulated = true;
  config.simulation.latency_ns = 2'000;
  config.simulation.reorder = 0.5;
  return config;
}

/// The same on one thread and under the virtual clock; everything that happens follows from the
/// seed, as does the order in which a core takes the tasks that are ready.
inline Config deterministic(int locales, int cores_each = 1, std::uint64_t seed = 1) {
  Config config = cluster(locales, cores_each);
  config.simulation.mode = SimulationMode::kDeterministic;
  config.simulation.seed = seed;
  config.shuffle = true;
  return config;
}

struct Machine {
  std::string name;
  Config config;
  friend std::ostream& operator<<(std::ostream& out, const Machine& machine) {
    return out << machine.name;
  }
};

inline std::vector<Machine> machines() {
  Config tight = cluster(2, 2);
  tight.chunk_bytes = 1024;    // hardly a message fits
  Config served = cluster(3);  // each with a thread that moves its packets
  served.comm_core = true;
  Config grid = deterministic(7, 2, 5);  // the last row of the grid is not full
  grid.route = RoutePolicy::kTwoHop;
  return {{"OneCore", threads(1)},
          {"TwoCores", threads(2)},
          {"TwoLocales", cluster(2, 2)},
          {"TwoLocalesWithTinyChunks", tight},
          {"FourLocales", cluster(4)},
          {"ThreeLocalesWithCommunicationCores", served},
          {"OneDeterministicCore", deterministic(1)},
          {"ThreeDeterministicCores", deterministic(1, 3, 2)},
          {"ThreeDeterministicLocalesOfTwoCores", deterministic(3, 2, 3)},
          {"EightDeterministicLocales", deterministic(8, 1, 4)},
          {"SevenDeterministicLocalesInTwoHops", grid},
          {"ThirteenDeterministicLocalesOfThreeCores", deterministic(13, 3, 7)},
          {"SixteenDeterministicLocales", deterministic(16, 1, 6)}};
}

/// Their configurations.
inline std::vector<Config> all_shapes() {
  std::vector<Config> shapes;
  for (const Machine& machine : machines()) shapes.push_back(machine.config);
  return shapes;
}

inline std::string describe(const Config& config) {
  if (!config.is_simulated()) return fmt::format("{} cores", config.cores);
  const bool timed = config.simulation.mode == SimulationMode::kTimed;
  return fmt::format("{} simulation, {} locales of {} cores, seed {}",
                     timed ? "timed" : "deterministic", config.locales, config.cores,
                     config.simulation.seed);
}

/// A run of `body` on each of them.
template <class F>
void on_machines(const F& body) {
  for (const Machine& machine : machines()) {
    SCOPED_TRACE(machine.name);
    run(machine.config, body);
  }
}

class OnMachines : public testing::TestWithParam<Machine> {
 protected:
  const Config& config() const { return GetParam().config; }
};

#define GRAPPA_ON(Fixture, ...) \
  INSTANTIATE_TEST_SUITE_P(On, Fixture, __VA_ARGS__, [](const auto& on) { return on.param.name; })
#define GRAPPA_ON_MACHINES(Fixture) \
  GRAPPA_ON(Fixture, testing::ValuesIn(::grappa::test::machines()))

/// f(core) for every core, the calling one included.
template <class F>
void for_each_core(const F& f) {
  for (int core = 0; core < core_count(); ++core) f(core);
}

/// How many tasks to make: `n`, or fewer under TSan, where a stack costs a millisecond.
constexpr std::int64_t tasks(std::int64_t n) {
#ifdef GRAPPA_TSAN
  return n / 10;
#else
  return n;
#endif
}

}  // namespace grappa::test
