// Loops: every iteration exactly once, wherever it runs, and everything it causes is waited for.

#include "grappa/parallel/forall.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "grappa/base/clock.hpp"
#include "grappa/base/error.hpp"
#include "grappa/parallel/collectives.hpp"
#include "grappa/parallel/global_memory.hpp"
#include "grappa/parallel/runtime.hpp"
#include "grappa/parallel/test_machines.hpp"

namespace grappa {
namespace {

class Forall : public test::OnMachines {};
GRAPPA_ON_MACHINES(Forall);

// Counts how often each of `n` things happened, one global counter each.
class Tally {
 public:
  explicit Tally(std::int64_t n) : n_(n), counts_(global_alloc<std::int64_t>(n)) {}
  ~Tally() { global_free(counts_); }

  GlobalAddress<std::int64_t> counts() const { return counts_; }

  void expect_all(std::int64_t times) const {
    std::int64_t wrong = 0;
    const auto count = GlobalAddress<std::int64_t>::of_local(&wrong);
    forall(counts_, n_, [count, times](std::int64_t& x) {
      if (x != times) delegate::async::increment(count);
    });
    EXPECT_EQ(wrong, 0) << "of " << n_ << " iterations ran not exactly " << times << " times";
  }

 private:
  std::int64_t n_;
  GlobalAddress<std::int64_t> counts_;
};

/// What the UsageError that `start` throws says; nothing when it throws none.
template <class Start>
std::string refusal_of(const Start& start) {
  try {
    start();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST_P(Forall, RefusesANegativeNumberOfIterations) {
  run(config(), [] {
    const auto cells = global_alloc<std::int64_t>(1);
    const auto is_refused = testing::AllOf(testing::HasSubstr("forall_test.cpp:"),
                                           testing::HasSubstr("a loop of -5 iterations"));
    EXPECT_THAT(refusal_of([&] { forall(-5, [](std::int64_t) {}); }), is_refused);
    EXPECT_THAT(refusal_of([&] { forall(-5, {.grain = 2}, [](std::int64_t) {}); }), is_refused);
    EXPECT_THAT(refusal_of([&] { forall(cells, -5, [](std::int64_t&) {}); }), is_refused);
    forall(5, 0, [](std::int64_t) { FAIL(); });  // an empty range, as in a loop of C++
    global_free(cells);
  });
}

TEST_P(Forall, RefusesANegativeGrain) {
  run(config(), [] {
    const auto cells = global_alloc<std::int64_t>(1);
    const auto is_refused = testing::AllOf(testing::HasSubstr("forall_test.cpp:"),
                                           testing::HasSubstr("a loop with a grain of -3"));
    const auto never = [](std::int64_t) {};
    const LoopOptions options{.grain = -3};
    EXPECT_THAT(refusal_of([&] { forall(0, 10, options, never); }), is_refused);
    EXPECT_THAT(refusal_of([&] { forall(10, options, never); }), is_refused);
    EXPECT_THAT(refusal_of([&] { forall_here(0, 0, options, never); }), is_refused);
    EXPECT_THAT(refusal_of([&] { forall(cells, 1, options, [](std::int64_t&) {}); }), is_refused);
    global_free(cells);
  });
}

// In every build and on every machine: on one locale each core would write to the same place.
TEST_P(Forall, RefusesReferencesToAStack) {
  std::int64_t of_thread = 0;
  run(config(), [&of_thread] {
    std::int64_t of_task = 0;
    const auto cells = global_alloc<std::int64_t>(10);
    const auto is_refused = testing::AllOf(testing::HasSubstr("forall_test.cpp:"),
                                           testing::HasSubstr("as [&] captures it"));
    EXPECT_THAT(refusal_of([&] { forall(10, [&](std::int64_t) { ++of_task; }); }), is_refused);
    EXPECT_THAT(refusal_of([&] { forall(10, [&](std::int64_t) { ++of_thread; }); }), is_refused);
    EXPECT_THAT(
        refusal_of([&] { forall_range(0, 10, [&](std::int64_t, std::int64_t) { ++of_task; }); }),
        is_refused);
    EXPECT_THAT(refusal_of([&] { forall(cells, 10, [&](std::int64_t&) { ++of_task; }); }),
                is_refused);
    EXPECT_THAT(refusal_of([&] { forall_here(0, 10, [&](std::int64_t) { ++of_task; }); }),
                is_refused);
    EXPECT_THAT(refusal_of([&] { on_all_cores([&] { ++of_task; }); }), is_refused);
    EXPECT_THAT(refusal_of([&] { on_all_locales([&] { ++of_task; }); }), is_refused);
    EXPECT_THAT(refusal_of([&] { gather_cores([&] { return ++of_task; }); }), is_refused);
    EXPECT_EQ(of_task + of_thread, 0);
    global_free(cells);
  });
}

// Its cores share the heap.
TEST_P(Forall, HereMayPointIntoTheHeap) {
  run(config(), [] {
    const auto sum = std::make_unique<std::atomic<std::int64_t>>(0);
    forall_here(0, 10, [&sum = *sum](std::int64_t i) { sum += i; });
    EXPECT_EQ(*sum, 45);
  });
}

TEST_P(Forall, ALoopThatIsTooLongSaysWhere) {
  run(config(), [] {
    const std::string said = refusal_of([] { forall(INT64_MIN, INT64_MAX, [](std::int64_t) {}); });
    EXPECT_THAT(said, testing::StartsWith("src/grappa/parallel/forall_test.cpp:"));
  });
}

TEST(ForallUnscanned, ReferencesPassWhereTheScanIsSwitchedOff) {
  Config config = test::threads(1);
  config.scan_payloads = false;
  run(config, [] {
    std::int64_t sum = 0;
    forall(10, [&sum](std::int64_t i) { sum += i; });
    EXPECT_EQ(sum, 45);
  });
}

TEST_P(Forall, RunsEveryIterationExactlyOnce) {
  run(config(), [] {
    for (const std::int64_t n : {1, 2, 3, 5, 64, 97, 499, 1009}) {
      const Tally tally(n);
      const auto counts = tally.counts();
      forall(0, n, [counts](std::int64_t i) { delegate::async::increment(counts + i); });
      tally.expect_all(1);
      forall(n, [counts](std::int64_t i) { delegate::increment(counts + i); });
      tally.expect_all(2);
      for (const std::int64_t begin : {-n, std::int64_t{-3}, std::int64_t{1'000'000'000'000}}) {
        forall(begin, begin + n, [counts, begin](std::int64_t i) {
          delegate::async::increment(counts + (i - begin));
        });
      }
      tally.expect_all(5);
    }
  });
}

TEST_P(Forall, AnEmptyRangeRunsNothing) {
  run(config(), [] {
    forall(0, 0, [](std::int64_t) { throw std::logic_error("ran"); });
    forall(5, 5, [](std::int64_t) { throw std::logic_error("ran"); });
    forall(7, -7, [](std::int64_t) { throw std::logic_error("ran"); });
    forall_range(3, 3, [](std::int64_t, std::int64_t) { throw std::logic_error("ran"); });
    forall_here(3, 3, [](std::int64_t) { throw std::logic_error("ran"); });
    forall(global_alloc<int>(1), 0, [](int&) { throw std::logic_error("ran"); });
  });
}

TEST_P(Forall, GrainsPartitionTheRange) {
  run(config(), [] {
    constexpr std::int64_t kN = 613;
    const Tally tally(kN);
    const auto counts = tally.counts();
    int rounds = 0;
    for (const std::int64_t grain : {0, 1, 2, 7, 100, 612, 613, 614, 100'000}) {
      forall_range(0, kN, LoopOptions{.grain = grain},
                   [counts, grain](std::int64_t first, std::int64_t last) {
                     if (first >= last || (grain > 0 && last - first > grain)) {
                       throw std::logic_error("a part has a wrong size");
                     }
                     for (std::int64_t i = first; i < last; ++i) {
                       delegate::async::increment(counts + i);
                     }
                   });
      tally.expect_all(++rounds);
    }
  });
}

TEST_P(Forall, OptionsStandBeforeTheBody) {
  run(config(), [] {
    constexpr std::int64_t kN = 100;
    const Tally tally(kN);
    const auto counts = tally.counts();
    forall(kN, {.grain = 7}, [=](std::int64_t i) { delegate::async::increment(counts + i); });
    tally.expect_all(1);
    forall(0, kN, {.grain = 7}, [=](std::int64_t i) { delegate::async::increment(counts + i); });
    tally.expect_all(2);
    forall(counts, kN, {.grain = 7}, [](std::int64_t& count) { ++count; });
    tally.expect_all(3);
  });
}

TEST_P(Forall, HugeRangesAreCutByTheirGrain) {
  run(config(), [] {
    constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
    constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
    struct Case {
      std::int64_t begin, end, grain;
    };
    std::int64_t parts = 0;
    std::uint64_t length = 0;
    const auto count = GlobalAddress<std::int64_t>::of_local(&parts);
    const auto sum = GlobalAddress<std::uint64_t>::of_local(&length);
    for (const auto& [begin, end, grain] :
         {Case{0, std::int64_t{1} << 62, std::int64_t{1} << 58}, Case{0, kMax, kMax / 7},
          Case{kMin, -1, std::int64_t{1} << 60}, Case{-5, kMax - 5, kMax},
          Case{kMax - 100, kMax, 3}, Case{kMin, kMin + 100, 7}}) {
      parts = 0;
      length = 0;
      forall_range(begin, end, LoopOptions{.grain = grain},
                   [count, sum](std::int64_t first, std::int64_t last) {
                     delegate::async::increment(count);
                     delegate::async::increment(sum, static_cast<std::uint64_t>(last - first));
                   });
      const std::uint64_t n = static_cast<std::uint64_t>(end) - static_cast<std::uint64_t>(begin);
      EXPECT_EQ(length, n);
      EXPECT_EQ(static_cast<std::uint64_t>(parts), (n - 1) / static_cast<std::uint64_t>(grain) + 1);
    }
    EXPECT_THROW(
        forall_range(kMin, kMax, LoopOptions{.grain = kMax}, [](std::int64_t, std::int64_t) {}),
        UsageError)
        << "more iterations than an int64_t can count";
  });
}

TEST_P(Forall, HereUsesTheCoresOfTheCallingLocaleOnly) {
  run(config(), [] {
    on_all_locales([] {
      const int locale = this_locale();
      std::int64_t ran = 0;
      const auto count = GlobalAddress<std::int64_t>::of_local(&ran);
      forall_here(0, 1000, [locale, count](std::int64_t) {
        if (this_locale() != locale) throw std::logic_error("ran on another locale");
        delegate::async::increment(count);
      });
      forall_range_here(0, 1000, LoopOptions{.grain = 10},
                        [count](std::int64_t first, std::int64_t last) {
                          delegate::async::increment(count, last - first);
                        });
      if (ran != 2000) throw std::logic_error("a wrong number of iterations");
    });
  });
}

// ---- over global memory

TEST_P(Forall, VisitsTheElementsOfTheHeapAtTheirHomes) {
  struct Odd {
    std::int64_t value;
    char rest[17];
  };
  run(config(), [] {
    for (const std::int64_t n : {1, 7, 8, 9, 100, 1013}) {
      const auto words = global_alloc<std::int64_t>(n);
      const auto odd = global_alloc<Odd>(n);
      const auto bytes = global_alloc<std::uint8_t>(n);
      forall(words, n, [words](std::int64_t i, std::int64_t& x) {
        if ((words + i).core() != this_core()) throw std::logic_error("not at home");
        if ((words + i).pointer() != &x) throw std::logic_error("another element");
        x = i;
      });
      forall(odd, n, [odd](std::int64_t i, Odd& x) {
        if ((odd + i).pointer() != &x) throw std::logic_error("another element");
        x.value = i;
      });
      forall(bytes, n, [bytes](std::int64_t i, std::uint8_t& x) {
        if ((bytes + i).pointer() != &x) throw std::logic_error("another element");
        ++x;
      });
      std::int64_t wrong = 0;
      const auto count = GlobalAddress<std::int64_t>::of_local(&wrong);
      forall(words, n, [count](std::int64_t i, std::int64_t& x) {
        if (x != i) delegate::async::increment(count);
      });
      forall(odd, n, [count](std::int64_t i, Odd& x) {
        if (x.value != i) delegate::async::increment(count);
      });
      forall(bytes, n, [count](std::uint8_t& x) {
        if (x != 1) delegate::async::increment(count);
      });
      EXPECT_EQ(wrong, 0);
      global_free(words);
      global_free(odd);
      global_free(bytes);
    }
  });
}

TEST_P(Forall, VisitsAPartOfTheHeap) {
  run(config(), [] {
    constexpr std::int64_t kN = 300;
    const auto base = global_alloc<std::int32_t>(kN);
    for (const auto& [from, n] : {std::pair<std::int64_t, std::int64_t>{0, 1},
                                  {1, 1},
                                  {5, 100},
                                  {15, 2},
                                  {16, 16},
                                  {299, 1},
                                  {17, 283}}) {
      forall(base, kN, [](std::int32_t& x) { x = 0; });
      forall(base + from, n, [](std::int64_t i, std::int32_t& x) { x += static_cast<int>(i) + 1; });
      for (std::int64_t i = 0; i < kN; ++i) {
        const bool inside = i >= from && i < from + n;
        ASSERT_EQ(delegate::read(base + i), inside ? i - from + 1 : 0) << from << '+' << n;
      }
    }
    global_free(base);
  });
}

TEST_P(Forall, VisitsAnArrayOfOneCore) {
  run(config(), [] {
    for (int core = 0; core < core_count(); ++core) {
      const auto cells = symmetric_alloc<std::int64_t>(100);
      forall(cells.on(core), 100, [core](std::int64_t i, std::int64_t& x) {
        if (this_core() != core) throw std::logic_error("not at home");
        x = i * i;
      });
      for (std::int64_t i = 0; i < 100; ++i) EXPECT_EQ(delegate::read(cells.on(core) + i), i * i);
      symmetric_free(cells);
    }
    std::array<std::int64_t, 50> mine{};
    forall(GlobalAddress<std::int64_t>::of_local(mine.data()), 50, [](std::int64_t& x) { ++x; });
    EXPECT_TRUE(std::all_of(mine.begin(), mine.end(), [](auto x) { return x == 1; }));
  });
}

// ---- errors

TEST_P(Forall, AnErrorComesOutAndTheOtherGrainsStillRun) {
  run(config(), [] {
    for (const std::int64_t grain : {1, 10, 0}) {
      std::int64_t ran = 0;
      const auto count = GlobalAddress<std::int64_t>::of_local(&ran);
      try {
        forall(0, 10'000, LoopOptions{.grain = grain}, [count](std::int64_t i) {
          if (i % 2500 == 100) throw std::runtime_error("iteration");
          delegate::async::increment(count);
        });
        ADD_FAILURE() << "nothing was thrown";
      } catch (const RemoteError& e) {
        EXPECT_EQ(e.type_name(), "std::runtime_error");
        EXPECT_EQ(e.message(), "iteration");
        EXPECT_EQ(e.others(), 3u);
      }
      EXPECT_GE(ran, 10'000 - 4 * (grain == 0 ? 1024 : grain));
      EXPECT_LE(ran, 9996);
    }
  });
}

TEST_P(Forall, ErrorsOfLoopsOverMemoryComeOut) {
  run(config(), [] {
    const auto words = global_alloc<std::int64_t>(1000);
    const auto cells = symmetric_alloc<std::int64_t>(100);
    const int last = core_count() - 1;
    for (const auto& [base, n] : {std::pair(words, 1000), std::pair(cells.on(last), 100)}) {
      try {
        forall(base, n, [n](std::int64_t i, std::int64_t&) {
          if (i == n / 2) throw std::runtime_error("element");
        });
        ADD_FAILURE() << "nothing was thrown";
      } catch (const RemoteError& e) {
        EXPECT_EQ(e.message(), "element");
        EXPECT_EQ(e.others(), 0u);
      }
    }
    global_free(words);
    symmetric_free(cells);
  });
}

// ---- closures

TEST_P(Forall, BodiesMayBeLargeOverAlignedAndMutable) {
  run(config(), [] {
    struct alignas(64) Line {
      std::int64_t value;
    };
    std::array<std::int64_t, 50> large{};
    large[49] = 2;
    const Line line{3};
    std::int64_t total = 0;
    const auto sum = GlobalAddress<std::int64_t>::of_local(&total);
    forall(0, 100, LoopOptions{.grain = 3}, [large, line, sum, own = 0](std::int64_t) mutable {
      ++own;
      if (reinterpret_cast<std::uintptr_t>(&line) % alignof(Line) != 0) {
        throw std::logic_error("not aligned");
      }
      delegate::async::increment(sum, large[49] + line.value);
    });
    EXPECT_EQ(total, 500);
  });
}

// ---- stealing

// One core gets all the work at first: the other takes some of it.
TEST(ForallStealing, AnUnbalancedLoopIsSharedOut) {
  const Config config = test::threads(2);
  if (config.simulated) GTEST_SKIP() << "this machine has one processor";
  run(config, [] {
    std::int64_t first_half[2] = {};
    const auto ran_on = GlobalAddress<std::int64_t>::of_local(first_half);
    // The first half of the iterations, which is core 0's, takes all the time.
    forall(0, 400, LoopOptions{.grain = 1}, [ran_on](std::int64_t i) {
      if (i >= 200) return;
      const std::uint64_t start = internal::now_ns();
      while (internal::now_ns() - start < 200'000) internal::cpu_relax();
      delegate::async::increment(ran_on + this_core());
    });
    EXPECT_EQ(first_half[0] + first_half[1], 200);
    EXPECT_GT(first_half[0], 0);
    EXPECT_GT(first_half[1], 0) << "core 1 took nothing";
    std::uint64_t stolen = 0;
    for (const MetricValue& metric : metrics_snapshot()) {
      if (metric.name == "tasking.ranges_stolen") stolen = metric.total;
    }
    EXPECT_GT(stolen, 0u);
  });
}

}  // namespace
}  // namespace grappa
