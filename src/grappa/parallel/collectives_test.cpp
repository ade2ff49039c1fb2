// Collectives give every core the same answer, in the order of the cores, from the identity that
// the caller named.

#include "grappa/parallel/collectives.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "grappa/base/error.hpp"
#include "grappa/parallel/forall.hpp"
#include "grappa/parallel/global_memory.hpp"
#include "grappa/parallel/runtime.hpp"
#include "grappa/parallel/test_machines.hpp"

namespace grappa {
namespace {

class Collective : public test::OnMachines {};
GRAPPA_ON_MACHINES(Collective);

void require(bool condition, const char* what) {
  if (!condition) throw std::logic_error(what);
}

void barrier_by_all() {
  on_all_cores([] { barrier(); });
}

TEST_P(Collective, OnAllCoresRunsOnceOnEveryCore) {
  run(config(), [] {
    const auto ran = symmetric_alloc<std::int64_t>();
    on_all_cores([ran] { ran.local() += this_core() + 1; });
    for (int core = 0; core < core_count(); ++core) {
      EXPECT_EQ(delegate::read(ran.on(core)), core + 1);
    }
    on_all_locales([ran] { ran.local() = -this_locale() - 1; });
    for (int locale = 0; locale < locale_count(); ++locale) {
      EXPECT_EQ(delegate::read(ran.on(first_core_of(locale))), -locale - 1);
    }
    symmetric_free(ran);
  });
}

TEST_P(Collective, OnAllCoresMayBeCalledFromAnyCoreAndNested) {
  run(config(), [] {
    const auto ran = symmetric_alloc<std::int64_t>();
    delegate::write(ran.on(0), 0);
    on_all_cores([ran] { on_all_cores([ran] { ++ran.local(); }); });
    EXPECT_EQ(reduce_cores([ran] { return ran.local(); }, std::int64_t{0}, std::plus<>{}),
              core_count() * core_count());
    symmetric_free(ran);
  });
}

TEST_P(Collective, ReductionsStartFromTheIdentityThatIsGiven) {
  run(config(), [] {
    const auto lesser = [](int a, int b) { return std::min(a, b); };
    const auto greater = [](int a, int b) { return std::max(a, b); };
    // With T() as a start, the minimum of positive and the maximum of negative values would be 0.
    EXPECT_EQ(
        reduce_cores([] { return 100 + this_core(); }, std::numeric_limits<int>::max(), lesser),
        100);
    EXPECT_EQ(
        reduce_cores([] { return -100 - this_core(); }, std::numeric_limits<int>::min(), greater),
        -100);
    on_all_cores([lesser, greater] {
      require(all_reduce(100 + this_core(), lesser) == 100, "minimum");
      require(all_reduce(-100 - this_core(), greater) == -100, "maximum");
    });
  });
}

TEST_P(Collective, ValuesCombineInTheOrderOfTheCores) {
  // Composition of affine maps is associative and does not commute.
  struct Map {
    std::int64_t a;
    std::int64_t b;
    bool operator==(const Map&) const = default;
  };
  run(config(), [] {
    const auto then = [](Map f, Map g) {
      return Map{f.a * g.a % 1'000'003, (f.b * g.a + g.b) % 1'000'003};
    };
    const auto mine = [] { return Map{this_core() + 2, this_core() + 5}; };
    Map expected{1, 0};
    std::vector<Map> before;
    for (int core = 0; core < core_count(); ++core) {
      before.push_back(expected);
      expected = then(expected, Map{core + 2, core + 5});
    }
    EXPECT_TRUE(reduce_cores(mine, Map{1, 0}, then) == expected);
    const auto all = global_alloc<Map>(core_count());
    const auto inclusive = global_alloc<Map>(core_count());
    on_all_cores([=] {
      require(all_reduce(mine(), then) == expected, "all_reduce");
      delegate::write(all + this_core(), exclusive_scan(mine(), then, Map{1, 0}));
      delegate::write(inclusive + this_core(), inclusive_scan(mine(), then));
    });
    for (int core = 0; core < core_count(); ++core) {
      const Map prefix = before[static_cast<std::size_t>(core)];
      EXPECT_TRUE(delegate::read(all + core) == prefix);
      EXPECT_TRUE(delegate::read(inclusive + core) == then(prefix, Map{core + 2, core + 5}));
    }
    global_free(all);
    global_free(inclusive);
  });
}

TEST_P(Collective, PrefixSums) {
  run(config(), [] {
    on_all_cores([] {
      const std::int64_t c = this_core();
      require(exclusive_scan(c + 1, std::plus<>{}, std::int64_t{10}) == 10 + c * (c + 1) / 2,
              "exclusive");
      require(inclusive_scan(c + 1, std::plus<>{}) == (c + 1) * (c + 2) / 2, "inclusive");
    });
  });
}

TEST_P(Collective, BroadcastGivesTheRootsValue) {
  run(config(), [] {
    on_all_cores([] {
      for (int root = 0; root < core_count(); ++root) {
        require(broadcast(this_core() * 10, root) == root * 10, "broadcast");
      }
      bool refused = false;
      try {
        broadcast(1, core_count());
      } catch (const UsageError&) {
        refused = true;
      }
      require(refused, "a root that does not exist");
    });
  });
}

TEST_P(Collective, GatherCoresKeepsTheOrder) {
  run(config(), [] {
    const std::vector<int> values = gather_cores([] {
      yield();
      return this_core() * this_core();
    });
    ASSERT_EQ(values.size(), static_cast<std::size_t>(core_count()));
    for (int core = 0; core < core_count(); ++core) {
      EXPECT_EQ(values[static_cast<std::size_t>(core)], core * core);
    }
  });
}

TEST_P(Collective, GatherCoresOfWhatIsSerialized) {
  run(config(), [] {
    const auto lists = gather_cores(
        [] { return std::vector<int>(static_cast<std::size_t>(this_core() % 3), this_core()); });
    const auto names = gather_cores([] { return std::string("core ") + char('a' + this_core()); });
    for (int core = 0; core < core_count(); ++core) {
      const auto at = static_cast<std::size_t>(core);
      EXPECT_EQ(lists[at], std::vector<int>(at % 3, core));
      EXPECT_EQ(names[at], std::string("core ") + char('a' + core));
    }
  });
}

TEST_P(Collective, ABarrierHoldsBackWhoeverIsEarly) {
  run(config(), [] {
    const auto phase = symmetric_alloc<std::int64_t>();
    on_all_cores([phase] {
      for (std::int64_t i = 1; i <= 20; ++i) {
        if (this_core() == i % core_count()) sleep_for(20'000);
        phase.local() = i;
        barrier();
        // Nobody can be behind, nor more than one phase ahead.
        const std::int64_t other = delegate::read(phase.on((this_core() + 1) % core_count()));
        require(other == i, "a core was in another phase");
        barrier();
      }
    });
    symmetric_free(phase);
  });
}

TEST_P(Collective, TheBarrierOfALocaleIsItsOwn) {
  run(config(), [] {
    const auto phase = symmetric_alloc<std::int64_t>();
    on_all_cores([phase] {
      // Locales pass different numbers of barriers.
      for (std::int64_t i = 1; i <= 5 + this_locale(); ++i) {
        phase.local() = i;
        local_barrier();
        const int next = first_core_of(this_locale()) +
                         (this_core() - first_core_of(this_locale()) + 1) % cores_per_locale();
        require(delegate::read(phase.on(next)) == i, "a core was in another phase");
        local_barrier();
      }
    });
    symmetric_free(phase);
  });
}

TEST_P(Collective, InTheBodyOfALoopIsRefused) {
  run(config(), [] {
    std::string said;
    std::uint64_t others = 0;
    try {
      forall(0, 8, LoopOptions{.grain = 1}, [](std::int64_t i) { all_reduce(i, std::plus<>{}); });
    } catch (const RemoteError& error) {
      said = error.what();
      others = error.others();
    }
    EXPECT_THAT(said, testing::HasSubstr("a collective was called in the body of a loop"));
    EXPECT_EQ(others, 7u);
  });
}

TEST_P(Collective, MayBeginInATaskThatALoopHasStarted) {
  run(config(), [] {
    forall(0, 1, [](std::int64_t) { on_all_cores([] { barrier(); }); });
    barrier_by_all();
  });
}

TEST_P(Collective, TwoTasksOfACoreCannotBeInOne) {
  if (config().cores * config().locales == 1) return;
  run(config(), [] {
    CompletionEvent done;
    bool begun = false;
    spawn(done, [&begun] {
      begun = true;
      barrier();
    });
    while (!begun) yield();
    EXPECT_THROW(all_reduce(1, std::plus<>{}), UsageError);
    for (int core = 1; core < core_count(); ++core) spawn_on(done, core, [] { barrier(); });
    done.wait();
    barrier_by_all();
  });
}

TEST_P(Collective, ManyInARow) {
  run(config(), [] {
    on_all_cores([] {
      std::int64_t value = this_core();
      for (int i = 0; i < 200; ++i) {
        value = all_reduce(value, std::plus<>{}) % 1000 + this_core();
        if (i % 7 == 0) barrier();
        if (i % 5 == 0) local_barrier();
      }
      const std::int64_t same = broadcast(value - this_core(), core_count() - 1);
      require(same == value - this_core(), "cores disagree");
    });
  });
}

TEST_P(Collective, LargeValues) {
  run(config(), [] {
    on_all_cores([] {
      std::array<std::int32_t, 300> mine{};
      mine.fill(this_core() + 1);
      const auto sum = all_reduce(mine, [](const auto& a, const auto& b) {
        auto c = a;
        for (std::size_t i = 0; i < c.size(); ++i) c[i] += b[i];
        return c;
      });
      require(sum[0] == core_count() * (core_count() + 1) / 2 && sum[0] == sum[299], "sum");
    });
  });
}

}  // namespace
}  // namespace grappa
