// Tasks: storms of them, everywhere, and nothing lost.

#include "grappa/parallel/spawn.hpp"

#include <gtest/gtest.h>

#include <array>
#include <stdexcept>
#include <string>

#include "grappa/base/clock.hpp"
#include "grappa/base/error.hpp"
#include "grappa/parallel/collectives.hpp"
#include "grappa/parallel/forall.hpp"
#include "grappa/parallel/global_memory.hpp"
#include "grappa/parallel/runtime.hpp"
#include "grappa/parallel/test_machines.hpp"

namespace grappa {
namespace {

class Spawn : public test::OnMachines {};
GRAPPA_ON_MACHINES(Spawn);

TEST_P(Spawn, TasksRunWhereTheyWereSent) {
  run(config(), [] {
    CompletionEvent done;
    for (int core = 0; core < core_count(); ++core) {
      spawn_on(done, core, [core] {
        if (this_core() != core) throw std::logic_error("on the wrong core");
        yield();
        if (this_core() != core) throw std::logic_error("moved");
      });
    }
    const int core = this_core();
    spawn(done, [core] {
      if (this_core() != core) throw std::logic_error("a private task moved");
    });
    spawn_public(done, [] {
      const int taken_by = this_core();
      yield();
      if (this_core() != taken_by) throw std::logic_error("a public task moved after it had begun");
    });
    done.wait();
  });
}

TEST_P(Spawn, StormsOfTasksAllRun) {
  run(config(), [] {
    const auto ran = symmetric_alloc<std::int64_t>();
    on_all_cores([ran] {
      CompletionEvent done;
      for (int i = 0; i < 500; ++i) {
        const auto count = [ran] { delegate::async::increment(ran.on(0)); };
        spawn(done, count);
        spawn_public(done, count);
        spawn_on(done, i % core_count(), count);
      }
      done.wait();
    });
    EXPECT_EQ(ran.local(), 1500 * core_count());
    symmetric_free(ran);
  });
}

struct Tree {
  SymmetricAddress<std::int64_t> ran;
  int depth;
  int way;  // how the children are spawned
  void operator()() const {
    delegate::async::increment(ran.on(this_core()));
    if (depth == 0) return;
    const Tree child{ran, depth - 1, way};
    for (int i = 0; i < 2; ++i) {
      switch (way) {
        case 0:
          spawn(child);
          break;
        case 1:
          spawn_public(child);
          break;
        default:
          spawn_on((this_core() + i) % core_count(), child);
      }
    }
  }
};

TEST_P(Spawn, TreesOfTasksAreWaitedForAsAWhole) {
  run(config(), [] {
    const auto ran = symmetric_alloc<std::int64_t>();
    for (int way = 0; way < 3; ++way) {
      on_all_cores([ran] { ran.local() = 0; });
      CompletionEvent done;
      spawn(done, Tree{ran, 11, way});
      done.wait();
      EXPECT_EQ(reduce_cores([ran] { return ran.local(); }, std::int64_t{0}, std::plus<>{}), 4095);
    }
    symmetric_free(ran);
  });
}

// A task that waits for its children on its own stack, many levels deep.
std::int64_t fibonacci(int n) {
  if (n < 2) return n;
  std::int64_t left = 0;
  CompletionEvent done;
  const auto result = GlobalAddress<std::int64_t>::of_local(&left);
  spawn_on(done, (this_core() + 1) % core_count(),
           [n, result] { delegate::write(result, fibonacci(n - 1)); });
  const std::int64_t right = fibonacci(n - 2);
  done.wait();
  return left + right;
}

TEST_P(Spawn, RecursionThatWaitsAtEveryLevel) {
  run(config(), [] { EXPECT_EQ(fibonacci(13), 233); });
}

// A chain in which every task waits for the next one: as many suspended tasks as it is long.
struct Chain {
  int left;
  void operator()() const {
    if (left == 0) return;
    CompletionEvent done;
    spawn_on(done, (this_core() + 1) % core_count(), Chain{left - 1});
    done.wait();
  }
};

TEST_P(Spawn, ALongChainOfWaitingTasks) {
  run(config(), [] {
    CompletionEvent done;
    spawn(done, Chain{1500});
    done.wait();
  });
}

TEST_P(Spawn, OneProducerFeedsEverybody) {
  run(config(), [] {
    const auto ran = symmetric_alloc<std::int64_t>();
    CompletionEvent done;
    for (int i = 0; i < 20'000; ++i) {
      spawn_on(done, i % core_count(), [ran] { ++ran.local(); });
    }
    done.wait();
    EXPECT_EQ(reduce_cores([ran] { return ran.local(); }, std::int64_t{0}, std::plus<>{}), 20'000);
    symmetric_free(ran);
  });
}

TEST_P(Spawn, ManyTasksWaitAtTheSameTime) {
  run(config(), [] {
    CompletionEvent done;
    const auto order = symmetric_alloc<std::int64_t>();
    for (int i = 0; i < 1000; ++i) {
      spawn_on(done, i % core_count(), [order, i] {
        sleep_for(static_cast<std::uint64_t>(1000 * (i % 7)));
        delegate::increment(order.on(0));
      });
    }
    done.wait();
    EXPECT_EQ(order.local(), 1000);
    symmetric_free(order);
  });
}

TEST_P(Spawn, ErrorsOfTasksReachTheWaiterOfTheirEvent) {
  run(config(), [] {
    CompletionEvent done;
    for (int core = 0; core < core_count(); ++core) {
      spawn_on(done, core, [] { throw std::out_of_range("task"); });
    }
    spawn(done, [] {});
    try {
      done.wait();
      ADD_FAILURE() << "nothing was thrown";
    } catch (const RemoteError& e) {
      EXPECT_EQ(e.type_name(), "std::out_of_range");
      EXPECT_EQ(e.message(), "task");
      EXPECT_EQ(e.others(), static_cast<std::uint64_t>(core_count() - 1));
    }
  });
}

TEST_P(Spawn, AnErrorInALaterGenerationReachesTheWaiterToo) {
  run(config(), [] {
    try {
      on_all_cores([] {
        spawn_on((this_core() + 1) % core_count(), [] {
          delegate::async::call((this_core() + 1) % core_count(),
                                [] { throw std::runtime_error("grandchild"); });
        });
      });
      ADD_FAILURE() << "nothing was thrown";
    } catch (const RemoteError& e) {
      EXPECT_EQ(e.message(), "grandchild");
      EXPECT_EQ(e.others(), static_cast<std::uint64_t>(core_count() - 1));
    }
  });
}

// Each task sees the exception that it is handling, whatever others do meanwhile.
TEST_P(Spawn, ATaskThatSuspendsInACatchBlockKeepsItsException) {
  run(config(), [] {
    CompletionEvent done;
    for (int t = 0; t < 50; ++t) {
      spawn_on(done, t % core_count(), [t] {
        const std::string text = "exception " + std::to_string(t);
        try {
          throw std::runtime_error(text);
        } catch (const std::exception&) {
          for (int i = 0; i < 5; ++i) {
            delegate::call((this_core() + 1) % core_count(), [] {});
            sleep_for(500);
            yield();
            try {
              throw;
            } catch (const std::exception& mine) {
              if (mine.what() != text) throw std::logic_error("saw " + std::string(mine.what()));
            }
          }
        }
        if (std::current_exception() != nullptr || std::uncaught_exceptions() != 0) {
          throw std::logic_error("an exception was left over");
        }
      });
    }
    done.wait();
  });
}

TEST_P(Spawn, ADestructorMaySuspendWhileAnExceptionFlies) {
  run(config(), [] {
    struct Waits {
      ~Waits() {
        delegate::call((this_core() + 1) % core_count(), [] {});
        sleep_for(500);
      }
    };
    CompletionEvent done;
    for (int t = 0; t < 20; ++t) {
      spawn_on(done, t % core_count(), [t] {
        try {
          const Waits waits;
          throw t;
        } catch (const int caught) {
          if (caught != t) throw std::logic_error("another exception");
        }
      });
    }
    done.wait();
  });
}

TEST_P(Spawn, SleepersSleepLongEnough) {
  run(config(), [] {
    CompletionEvent done;
    for (int t = 0; t < 100; ++t) {
      spawn_on(done, t % core_count(), [t] {
        const std::uint64_t start = run_time_ns();
        const auto ns = static_cast<std::uint64_t>(t) * 20'000;
        sleep_for(ns);
        if (run_time_ns() - start < ns) throw std::logic_error("woke too early");
      });
    }
    done.wait();
  });
}

TEST(SpawnStealing, PublicTasksAreSharedOut) {
  const Config config = test::threads(2);
  if (config.simulated) GTEST_SKIP() << "this machine has one processor";
  run(config, [] {
    std::int64_t ran[2] = {};
    const auto ran_on = GlobalAddress<std::int64_t>::of_local(ran);
    CompletionEvent done;
    for (int i = 0; i < 500; ++i) {
      spawn_public(done, [ran_on] {
        const std::uint64_t start = internal::now_ns();
        while (internal::now_ns() - start < 100'000) internal::cpu_relax();
        delegate::async::increment(ran_on + this_core());
      });
    }
    done.wait();
    EXPECT_EQ(ran[0] + ran[1], 500);
    EXPECT_GT(ran[0], 0);
    EXPECT_GT(ran[1], 0) << "core 1 took nothing";
  });
}

}  // namespace
}  // namespace grappa
