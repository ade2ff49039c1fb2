// Public tasks under stress: every one runs exactly once, wherever it is taken to, and where the
// program cannot go on without a second core, one takes part.

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "grappa/grappa.hpp"
#include "grappa/parallel/test_machines.hpp"

namespace grappa {
namespace {

#if defined(GRAPPA_ASAN) || defined(GRAPPA_TSAN)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

/// Who has run. All machines are in this process, so that tasks may count here without a message.
class Tally {
 public:
  explicit Tally(std::int64_t tasks) : times_(static_cast<std::size_t>(tasks)) { current_ = this; }
  ~Tally() { current_ = nullptr; }
  Tally(const Tally&) = delete;
  Tally& operator=(const Tally&) = delete;

  static Tally& current() { return *current_; }

  void count(std::int64_t task) {
    times_[static_cast<std::size_t>(task)].fetch_add(1, std::memory_order_relaxed);
  }
  void expect_each_once() const {
    for (std::size_t task = 0; task < times_.size(); ++task)
      ASSERT_EQ(times_[task].load(), 1) << "task " << task;
  }

  std::atomic<bool> ran_elsewhere{false};

 private:
  static inline Tally* current_ = nullptr;
  std::vector<std::atomic<std::int32_t>> times_;
};

class Stealing : public test::OnMachines {};
GRAPPA_ON_MACHINES(Stealing);

TEST_P(Stealing, AStormFromEveryCore) {
  constexpr std::int64_t kEach = kSanitized ? 500 : 4000;
  const std::int64_t cores = std::int64_t{config().cores} * config().locales;
  Tally tally(kEach * cores);
  run(config(), [] {
    on_all_cores([] {
      for (std::int64_t i = 0; i < kEach; ++i) {
        spawn_public([task = this_core() * kEach + i] { Tally::current().count(task); });
        if (i % 500 == 0) yield();
      }
    });
  });
  tally.expect_each_once();
}

/// Every task spawns two, until they are 2^depth - 1. They are numbered as in a heap.
struct Halves {
  std::int32_t number;
  std::int32_t depth;
  void operator()() const {
    Tally::current().count(number);
    if (depth == 1) return;
    spawn_public(Halves{2 * number + 1, depth - 1});
    spawn_public(Halves{2 * number + 2, depth - 1});
  }
};

TEST_P(Stealing, RecursionThatDoublesAtEveryLevel) {
  const std::int32_t depth = kSanitized ? 12 : 16;
  Tally tally((std::int64_t{1} << depth) - 1);
  run(config(), [depth] { spawn_public(Halves{0, depth}); });
  tally.expect_each_once();
}

/// The same, but every task waits for its two.
struct WaitingHalves {
  std::int32_t number;
  std::int32_t depth;
  void operator()() const {
    Tally::current().count(number);
    if (depth == 1) return;
    CompletionEvent both;
    spawn_public(both, WaitingHalves{2 * number + 1, depth - 1});
    spawn_public(both, WaitingHalves{2 * number + 2, depth - 1});
    both.wait();
  }
};

TEST_P(Stealing, RecursionThatWaitsAtEveryLevel) {
  const std::int32_t depth = kSanitized ? 8 : 11;
  Tally tally((std::int64_t{1} << depth) - 1);
  run(config(), [depth] { spawn_public(WaitingHalves{0, depth}); });
  tally.expect_each_once();
}

/// A task of the only producer. The producer's core puts it back until another core has taken one.
struct Product {
  std::int64_t number;
  void operator()() const {
    Tally& tally = Tally::current();
    if (this_core() != 0) {
      tally.ran_elsewhere = true;
    } else if (!tally.ran_elsewhere) {
      spawn_public(Product{number});
      return;
    }
    tally.count(number);
  }
};

TEST_P(Stealing, OneProducerIsHelped) {
  if (config().cores * config().locales == 1) return;  // nobody could help
  constexpr std::int64_t kProducts = kSanitized ? 2000 : 20'000;
  Tally tally(kProducts);
  run(config(), [] {
    for (std::int64_t i = 0; i < kProducts; ++i) spawn_public(Product{i});
  });
  tally.expect_each_once();
  EXPECT_TRUE(tally.ran_elsewhere);
}

// ---- cores of one locale, each with its thread

/// Holds its core until another core has begun the task behind it.
struct Link {
  std::int32_t number;
  std::int32_t links;
  std::int32_t from;  // the core that spawned it
  void operator()() const {
    EXPECT_NE(this_core(), from) << "link " << number;
    begun = number;
    Tally::current().count(number);
    if (number + 1 == links) return;
    spawn_public(Link{number + 1, links, this_core()});
    while (begun.load() <= number) std::this_thread::yield();
  }
  static inline std::atomic<std::int32_t> begun{0};
};

class StealingOfThreads : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Cores, StealingOfThreads, testing::Values(2, 3, 4));

TEST_P(StealingOfThreads, ATaskThatHoldsItsCoreIsSucceededOnAnother) {
  constexpr std::int32_t kLinks = 300;
  Tally tally(kLinks);
  Link::begun = 0;
  run(test::threads(GetParam()), [] { spawn_public(Link{0, kLinks, -1}); });
  tally.expect_each_once();
}

}  // namespace
}  // namespace grappa
