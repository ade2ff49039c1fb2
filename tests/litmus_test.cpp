// Litmus tests of the memory model: blocking delegates of one task take effect in program order,
// and all cores agree on the order of all of them (sequential consistency; DESIGN "Memory model",
// atc15 section 3.1.3).
//
// Each test runs many instances of a few two- to four-task programs over words that live on
// different cores, and looks for the outcome that the model forbids. Run on two real cores, and on
// simulated locales whose network reorders packets.

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "grappa/grappa.hpp"

namespace grappa {
namespace {

struct Machine {
  std::string name;
  Config config;
};

std::vector<Machine> machines() {
  std::vector<Machine> all;
  Config one;
  one.scan_payloads = false;  // outcomes are kept in the memory of the test
  all.push_back({"OneLocale", one});
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Config simulated = one;
    simulated.locales = 3;
    simulated.cores = 2;
    simulated.simulation.mode = SimulationMode::kDeterministic;
    simulated.simulation.seed = seed;
    simulated.simulation.reorder = 0.5;
    simulated.shuffle = true;
    all.push_back({"ReorderingSeed" + std::to_string(seed), simulated});
  }
  return all;
}

constexpr std::int64_t kInstances = 400;

using Words = GlobalArray<std::int64_t>;
using Outcome = std::array<std::int64_t, 4>;

/// Runs role r of every instance as a task on core (instance + r) mod cores, all at the same time.
/// `role(i, r, x, y)` returns what it read, in two numbers; the outcome of an instance is the
/// numbers of roles 0 and 1, or of roles 2 and 3 where there are four.
template <class Role>
std::vector<Outcome> run_instances(int roles, Role role) {
  // Cyclic: x and y of an instance live on different cores.
  Words x = Words::create(kInstances, Distribution::kCyclic);
  Words y = Words::create(kInstances + 1, Distribution::kCyclic);
  std::vector<Outcome> outcomes(kInstances);
  auto* kept = outcomes.data();
  CompletionEvent all;
  for (std::int64_t i = 0; i < kInstances; ++i) {
    for (int r = 0; r < roles; ++r) {
      spawn_on(all, static_cast<int>((i * 3 + r) % core_count()), [=] {
        const auto [first, second] = role(r, x[i], y[i + 1]);
        const auto reader = static_cast<std::size_t>(roles == 4 ? r - 2 : r);
        if (roles == 4 && r < 2) return;
        kept[i][2 * reader] = first;
        kept[i][2 * reader + 1] = second;
      });
    }
  }
  all.wait();
  x.destroy();
  y.destroy();
  return outcomes;
}

using Word = GlobalAddress<std::int64_t>;
using Pair = std::pair<std::int64_t, std::int64_t>;

class Litmus : public testing::TestWithParam<Machine> {
 protected:
  static void in_runs(const std::function<void()>& body) {
    for (int repeat = 0; repeat < 5; ++repeat) run(GetParam().config, body);
  }
};

TEST_P(Litmus, MessagePassing) {
  in_runs([] {
    const auto outcomes = run_instances(2, [](int r, Word x, Word y) -> Pair {
      if (r == 0) {
        delegate::write(x, 1);
        delegate::write(y, 1);
        return {0, 0};
      }
      const std::int64_t flag = delegate::read(y);
      return {flag, delegate::read(x)};
    });
    for (const Outcome& o : outcomes)
      EXPECT_FALSE(o[2] == 1 && o[3] == 0) << "the flag was seen and the data was not";
  });
}

TEST_P(Litmus, StoreBuffering) {
  in_runs([] {
    const auto outcomes = run_instances(2, [](int r, Word x, Word y) -> Pair {
      delegate::write(r == 0 ? x : y, 1);
      return {delegate::read(r == 0 ? y : x), 0};
    });
    for (const Outcome& o : outcomes)
      EXPECT_FALSE(o[0] == 0 && o[2] == 0) << "both writes were late";
  });
}

TEST_P(Litmus, LoadBuffering) {
  in_runs([] {
    const auto outcomes = run_instances(2, [](int r, Word x, Word y) -> Pair {
      const std::int64_t seen = delegate::read(r == 0 ? x : y);
      delegate::write(r == 0 ? y : x, 1);
      return {seen, 0};
    });
    for (const Outcome& o : outcomes)
      EXPECT_FALSE(o[0] == 1 && o[2] == 1) << "both reads saw the future";
  });
}

TEST_P(Litmus, IndependentReadsOfIndependentWrites) {
  in_runs([] {
    const auto outcomes = run_instances(4, [](int r, Word x, Word y) -> Pair {
      if (r < 2) {
        delegate::write(r == 0 ? x : y, 1);
        return {0, 0};
      }
      const std::int64_t first = delegate::read(r == 2 ? x : y);
      return {first, delegate::read(r == 2 ? y : x)};
    });
    for (const Outcome& o : outcomes) {
      EXPECT_FALSE(o[0] == 1 && o[1] == 0 && o[2] == 1 && o[3] == 0)
          << "two readers saw two writes in different orders";
    }
  });
}

TEST_P(Litmus, CoherenceOfReads) {
  in_runs([] {
    const auto outcomes = run_instances(2, [](int r, Word x, Word) -> Pair {
      if (r == 0) {
        delegate::write(x, 1);
        delegate::write(x, 2);
        return {0, 0};
      }
      const std::int64_t first = delegate::read(x);
      return {first, delegate::read(x)};
    });
    for (const Outcome& o : outcomes) EXPECT_LE(o[2], o[3]) << "a later read saw an earlier value";
  });
}

TEST_P(Litmus, WhatAnAsynchronousDelegateDidIsSeenAfterItsEvent) {
  in_runs([] {
    Words data = Words::create(kInstances, Distribution::kCyclic);
    forall(0, kInstances, [=](std::int64_t i) { delegate::async::write(data[i], i + 1); });
    forall(0, kInstances, [=](std::int64_t i) {
      if (delegate::read(data[i]) != i + 1) throw Error("a write was not there after its event");
    });
    data.destroy();
  });
}

INSTANTIATE_TEST_SUITE_P(Machines, Litmus, testing::ValuesIn(machines()),
                         [](const auto& machine) { return machine.param.name; });

}  // namespace
}  // namespace grappa
