// Loops within loops, and loops whose bodies block or spawn.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <stdexcept>

#include "grappa/parallel/collectives.hpp"
#include "grappa/parallel/forall.hpp"
#include "grappa/parallel/global_memory.hpp"
#include "grappa/parallel/runtime.hpp"
#include "grappa/parallel/spawn.hpp"
#include "grappa/parallel/test_machines.hpp"

namespace grappa {
namespace {

class ForallNesting : public test::OnMachines {};
GRAPPA_ON_MACHINES(ForallNesting);

TEST_P(ForallNesting, LoopsNest) {
  run(config(), [] {
    std::int64_t total = 0;
    const auto sum = GlobalAddress<std::int64_t>::of_local(&total);
    forall(0, 10, [sum](std::int64_t i) {
      forall(0, 10, [sum, i](std::int64_t j) {
        forall(0, 3, [sum, i, j](std::int64_t k) {
          delegate::async::increment(sum, i * 100 + j * 10 + k);
        });
      });
    });
    EXPECT_EQ(total, 148'800);
  });
}

TEST_P(ForallNesting, NestedLoopsFinishBeforeTheirIterationGoesOn) {
  run(config(), [] {
    forall(0, 20, [](std::int64_t) {
      std::int64_t inner = 0;
      const auto count = GlobalAddress<std::int64_t>::of_local(&inner);
      forall(0, 50, [count](std::int64_t) { delegate::async::increment(count); });
      if (inner != 50) throw std::logic_error("the inner loop had not finished");
    });
  });
}

/// A chain of loops, each in the body of the one before.
struct Descent {
  GlobalAddress<std::int64_t> bodies;
  int depth;
  void operator()(std::int64_t) const {
    delegate::async::increment(bodies);
    if (depth > 1) forall(0, 1, Descent{bodies, depth - 1});
  }
};

TEST_P(ForallNesting, ARecursionMayGoDeeperThanOneStack) {
  run(config(), [] {
    constexpr int kDepth = 1000;
    std::int64_t total = 0;
    const auto bodies = GlobalAddress<std::int64_t>::of_local(&total);
    CompletionEvent done;
    spawn(done, [bodies] { Descent{bodies, kDepth}(0); });
    done.wait();
    EXPECT_EQ(total, kDepth);
  });
}

TEST_P(ForallNesting, ABodyMayBlock) {
  run(config(), [] {
    const auto cells = symmetric_alloc<std::int64_t>();
    forall(0, 1000, [cells](std::int64_t i) {
      const auto cell = cells.on(static_cast<int>(i % core_count()));
      delegate::fetch_add(cell, 1);
      yield();
      delegate::increment(cell);
    });
    EXPECT_EQ(reduce_cores([cells] { return cells.local(); }, std::int64_t{0}, std::plus<>{}),
              2000);
    symmetric_free(cells);
  });
}

TEST_P(ForallNesting, WaitsForTasksThatItsIterationsSpawn) {
  run(config(), [] {
    std::int64_t total = 0;
    const auto count = GlobalAddress<std::int64_t>::of_local(&total);
    forall(0, 100, [count](std::int64_t i) {
      spawn([count] {
        yield();
        delegate::async::increment(count);
      });
      spawn_public([count] { delegate::increment(count); });
      spawn_on(static_cast<int>(i % core_count()),
               [count] { spawn([count] { delegate::async::increment(count); }); });
    });
    EXPECT_EQ(total, 300);
  });
}

// The bound on the workers of a loop must not keep an inner loop from starting: with one worker a
// core, all of them would wait for inner loops that nobody may run.
TEST_P(ForallNesting, NestedLoopsFinishHoweverFewWorkersThereMayBe) {
  for (const int workers : {1, 2}) {
    Config few = config();
    few.max_forall_workers = workers;
    run(few, [] {
      std::int64_t total = 0;
      const auto count = GlobalAddress<std::int64_t>::of_local(&total);
      forall(0, 8, LoopOptions{.grain = 1}, [count](std::int64_t) {
        forall(0, 8, LoopOptions{.grain = 1}, [count](std::int64_t) {
          forall(0, 8, LoopOptions{.grain = 1}, [count](std::int64_t) {
            forall(0, 4, LoopOptions{.grain = 1},
                   [count](std::int64_t) { delegate::increment(count); });
          });
        });
      });
      EXPECT_EQ(total, 8 * 8 * 8 * 4);
    });
  }
}

TEST_P(ForallNesting, TheNumberOfWorkersItStartsIsBounded) {
  Config few = config();
  few.max_forall_workers = 5;
  run(few, [] {
    struct Here {
      std::int64_t now = 0;
      std::int64_t most = 0;
    };
    const auto here_counts = symmetric_alloc<Here>();
    forall(0, 400, LoopOptions{.grain = 1}, [here_counts](std::int64_t) {
      Here& mine = here_counts.local();
      mine.most = std::max(mine.most, ++mine.now);
      sleep_for(1000);
      --mine.now;
    });
    const std::int64_t most =
        reduce_cores([here_counts] { return here_counts.local().most; }, std::int64_t{0},
                     [](std::int64_t a, std::int64_t b) { return std::max(a, b); });
    EXPECT_GE(most, 2);
    EXPECT_LE(most, 6);  // and the task that called
    symmetric_free(here_counts);
  });
}

}  // namespace
}  // namespace grappa
