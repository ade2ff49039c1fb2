// How a run that cannot go on ends: at once, with words that say why, and status 1 or,
// for wrong usage, 2.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>

#include "grappa/base/clock.hpp"
#include "grappa/base/text_values.hpp"
#include "grappa/parallel/collectives.hpp"
#include "grappa/parallel/forall.hpp"
#include "grappa/parallel/global_memory.hpp"
#include "grappa/parallel/runtime.hpp"
#include "grappa/parallel/test_machines.hpp"

namespace grappa {
namespace {

class FailureDeathTest : public test::OnMachines {
 protected:
  // A run has threads of its own.
  FailureDeathTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};
GRAPPA_ON(FailureDeathTest,
          testing::Values(test::Machine{"OneCore", test::threads(1)},
                          test::Machine{"TwoCores", test::threads(2)},
                          test::Machine{"TwoLocales", test::cluster(2)},
                          test::Machine{"FourDeterministicLocales", test::deterministic(4)}));

#define EXPECT_ENDS(statement, words) EXPECT_EXIT(statement, testing::ExitedWithCode(1), words)

// ---- deadlock

void wait_for_ever() {
  CompletionEvent never;
  never.enroll();
  never.wait();
}

TEST_P(FailureDeathTest, ATaskThatWaitsForEverIsADeadlock) {
  EXPECT_ENDS(run(config(), [] { wait_for_ever(); }), "grappa: fatal: deadlock.*completion event");
}

TEST_P(FailureDeathTest, ADeadlockNamesTheTasksAndWhatTheyWaitFor) {
  EXPECT_ENDS(
      run(config(),
          [] {
            spawn_on(core_count() - 1, [] { wait_for_ever(); });
            spawn([] { wait_for_ever(); });
          }),
      "deadlock: all 3 suspended tasks.*failure_test.cpp:[0-9]+ waits for a completion event");
}

TEST_P(FailureDeathTest, ADeadlockInALoopNamesTheLoop) {
  EXPECT_ENDS(
      run(config(),
          [] { forall(0, 4, LoopOptions{.grain = 1}, [](std::int64_t) { wait_for_ever(); }); }),
      "deadlock.*failure_test.cpp:[0-9]+ waits? for a completion event");
}

TEST_P(FailureDeathTest, ADeadlockSaysWhatTasksHaveThrown) {
  EXPECT_ENDS(run(config(),
                  [] {
                    spawn([] { wait_for_ever(); });
                    on_all_cores([] {
                      if (this_core() == core_count() - 1) throw std::range_error("no such key");
                    });
                  }),
              "deadlock.*not caught so far: .*std::range_error: no such key.*wait");
  // Their event still waits for the others.
  EXPECT_ENDS(run(config(),
                  [] {
                    on_all_cores([] {
                      spawn([] { wait_for_ever(); });
                      throw std::range_error("no such key");
                    });
                  }),
              "deadlock.*core 0: not caught so far: .*std::range_error: no such key");
}

TEST_P(FailureDeathTest, ABarrierThatACoreMissesIsADeadlock) {
  if (config().cores * config().locales == 1) return;
  EXPECT_ENDS(run(config(),
                  [] {
                    on_all_cores([] {
                      if (this_core() != 0) barrier();
                    });
                  }),
              "deadlock.*a collective");
}

// ---- cores that are in different collectives

template <class Last, class Others>
void in_two_ways(const Config& config, Last of_the_last, Others of_the_others, const char* words) {
  if (config.cores * config.locales == 1) return;
  EXPECT_ENDS(run(config,
                  [=] {
                    on_all_cores([=] {
                      if (this_core() == core_count() - 1) {
                        of_the_last();
                      } else {
                        of_the_others();
                      }
                    });
                  }),
              std::string("^grappa: fatal: cores are in different collectives[^\n]*") + words +
                  "[^\n]*\n$");
}

TEST_P(FailureDeathTest, CollectivesOfDifferentTypesAreNamed) {
  in_two_ways(
      config(), [] { all_reduce(1, std::plus<>{}); }, [] { all_reduce(1.5, std::plus<>{}); },
      "all_reduce<(int|double), std::plus<void> >, core .*<(int|double), std::plus<void> >;");
  in_two_ways(
      config(), [] { all_reduce(1, std::plus<>{}); }, [] { all_reduce(1, std::multiplies<>{}); },
      "std::(plus|multiplies)<void>.*std::(plus|multiplies)<void>");
}

TEST_P(FailureDeathTest, DifferentCollectivesAreNamed) {
  in_two_ways(
      config(), [] { barrier(); }, [] { all_reduce('a', std::plus<>{}); },
      "(barrier|all_reduce<char, std::plus<void> >), core .*(barrier|all_reduce)");
}

TEST_P(FailureDeathTest, BroadcastsFromDifferentCoresAreNamed) {
  in_two_ways(
      config(), [] { broadcast(1, 0); }, [] { broadcast(1, 1); }, "broadcast<int> from core 1");
}

TEST(DeadlockDeathTest, IsReportedWithinSeconds) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const std::uint64_t start = internal::now_ns();
  EXPECT_ENDS(run(test::threads(2), [] { wait_for_ever(); }), "deadlock");
  // Half a second on a quiet machine.
  EXPECT_LT(internal::now_ns() - start, 10'000'000'000u);
}

TEST_P(FailureDeathTest, ASleepIsNoDeadlock) {
  run(config(), [] { spawn_on(core_count() - 1, [] { sleep_for(1'200'000'000); }); });
}

// ---- delegates that would suspend

TEST_P(FailureDeathTest, ABlockingDelegateInADelegateNamesTheClosure) {
  EXPECT_ENDS(run(config(),
                  [] {
                    delegate::call(core_count() - 1, [] {
                      delegate::call((this_core() + 1) % core_count(), [] { yield(); });
                    });
                  }),
              "ABlockingDelegateInADelegate");
}

TEST_P(FailureDeathTest, AWaitInADelegateNamesTheClosure) {
  EXPECT_ENDS(run(config(), [] { delegate::call(core_count() - 1, [] { wait_for_ever(); }); }),
              "a delegate would suspend .a completion event., which is not allowed: "
              ".*AWaitInADelegate");
}

TEST_P(FailureDeathTest, AWaitInAnAsynchronousDelegateNamesTheClosure) {
  EXPECT_ENDS(run(config(), [] { delegate::async::call(core_count() - 1, [] { sleep_for(1); }); }),
              "a delegate would suspend .sleep., which is not allowed: task "
              "grappa::.anonymous namespace.::FailureDeathTest_AWaitInAnAsynchronous");
}

TEST_P(FailureDeathTest, AYieldInADelegateNamesTheClosure) {
  EXPECT_ENDS(run(config(), [] { delegate::call(core_count() - 1, [] { yield(); }); }),
              "yield inside a delegate: .*AYieldInADelegate");
}

TEST_P(FailureDeathTest, ALoopInADelegateNamesTheClosure) {
  EXPECT_ENDS(run(config(),
                  [] {
                    delegate::call(core_count() - 1,
                                   [] { forall(0, 1000, [](std::int64_t) { yield(); }); });
                  }),
              "inside a delegate|a delegate would suspend");
}

// ---- stacks

std::uint64_t overflow_the_stack(std::uint64_t depth) {
  volatile char frame[512];
  frame[0] = static_cast<char>(depth);
  frame[511] = frame[0];
  if (depth == 0) return 0;
  return overflow_the_stack(depth - 1) + static_cast<std::uint64_t>(frame[511]);
}

struct GreedyTask {
  void operator()() const { overflow_the_stack(1'000'000); }
};
struct GreedyBody {
  void operator()(std::int64_t) const { overflow_the_stack(1'000'000); }
};

TEST_P(FailureDeathTest, AStackOverflowNamesTheTaskAndTheKnob) {
  EXPECT_ENDS(
      run(config(), [] { spawn_on(core_count() - 1, GreedyTask{}); }),
      "grappa: fatal: stack overflow in grappa::.anonymous namespace.::GreedyTask: stacks are " +
          internal::format_bytes(config().stack_bytes) +
          "; raise --stack-size .GRAPPA_STACK_SIZE., or start .*kLargeStack");
}

TEST_P(FailureDeathTest, AStackOverflowInALoopNamesItsBody) {
  EXPECT_ENDS(run(config(), [] { forall(0, 2, LoopOptions{.grain = 1}, GreedyBody{}); }),
              "grappa: fatal: stack overflow in .*GreedyBody.*--(large-)?stack-size");
}

TEST_P(FailureDeathTest, AnOverflowInTheFunctionOfTheRunNamesItsOwnKnob) {
  EXPECT_ENDS(run(config(), [] { overflow_the_stack(1'000'000); }),
              "grappa: fatal: stack overflow in .*stacks are 8192 KiB; raise --large-stack-size");
}

TEST(StackDeathTest, CanariesFindAnOverflowWhenTheTaskSwitches) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
#if defined(GRAPPA_ASAN)
  GTEST_SKIP() << "AddressSanitizer sees the overflow before the canary does";
#endif
  Config config = test::threads(1);
  config.stacks = StackMode::kCanary;
  EXPECT_ENDS(run(config,
                  [] {
                    spawn([] {
                      // A little below the stack: the canary, and nothing else.
                      const internal::Stack& stack = internal::this_scheduler().current().stack;
                      auto* word = static_cast<volatile std::uint64_t*>(stack.low) - 1;
                      *word = 1;
                      yield();
                    });
                  }),
              "stack overflow in task .*failure_test.cpp:[0-9]+ on core 0.*--stack-size");
}

// ---- memory and misuse

TEST_P(FailureDeathTest, AnEventDestroyedWithWorkLeftIsReported) {
  EXPECT_ENDS(run(config(),
                  [] {
                    CompletionEvent done;
                    spawn_on(done, core_count() - 1, [] { sleep_for(1000); });
                  }),
              "CompletionEvent was destroyed while work of it was unfinished");
}

TEST_P(FailureDeathTest, AnErrorThatNobodyCatchesIsALine) {
  const auto run_without_catching = [this]() noexcept {
    run(config(), [] { throw UsageError("wrong use"); });
  };
  EXPECT_EXIT(run_without_catching(), testing::ExitedWithCode(2),
              "^grappa: fatal: grappa::UsageError: wrong use\n$");
}

TEST_P(FailureDeathTest, TheLineCountsTheErrorsOfOtherTasks) {
  const auto run_without_catching = [this]() noexcept {
    run(config(), [] {
      spawn([] { throw std::range_error("first"); });
      spawn([] { throw std::range_error("second"); });
      yield();
      throw UsageError("wrong use");
    });
  };
  EXPECT_EXIT(run_without_catching(), testing::ExitedWithCode(2),
              "^grappa: fatal: grappa::UsageError: wrong use \\(and 2 more\\)\n$");
}

Coroutine<> never_begun() { co_return; }

TEST_P(FailureDeathTest, ACoroutineThatOutlivesItsRunIsReported) {
  const auto keep_one = [this] {
    std::optional<Coroutine<>> kept;
    run(config(), [&kept] { kept.emplace(never_begun()); });
  };
  EXPECT_ENDS(keep_one(),
              "^grappa: fatal: core 0: coroutines are left at the end of the run "
              "\\(1\\).*never_begun[^\n]*\n$");
}

namespace own {
struct Thing {};
}  // namespace own

TEST_P(FailureDeathTest, WhatElseNobodyCatchesIsALineToo) {
  const auto run_without_catching = [this](auto thrown) noexcept {
    run(config(), [thrown] { throw thrown; });
  };
  EXPECT_ENDS(run_without_catching(std::runtime_error("no luck")),
              "^grappa: fatal: an exception of type std::runtime_error: no luck\n$");
  EXPECT_ENDS(run_without_catching(42), "^grappa: fatal: an exception of type int\n$");
  EXPECT_ENDS(run_without_catching(own::Thing{}),
              "^grappa: fatal: an exception of type grappa::.*own::Thing\n$");
}

void throw_number() { throw 1; }

TEST_P(FailureDeathTest, WhatLeavesANoexceptTaskIsALine) {
  EXPECT_ENDS(run(config(), [] { spawn_on(core_count() - 1, []() noexcept { throw_number(); }); }),
              "^grappa: fatal: an exception of type int\n$");
}

TEST_P(FailureDeathTest, WhatTheOperationOfAReductionThrowsIsALine) {
  const auto reduce = [this]() noexcept {
    run(config(), [] {
      reduce_cores([] { return 1; }, 0, [](int, int) -> int { throw std::range_error("op"); });
    });
  };
  EXPECT_ENDS(reduce(), "^grappa: fatal: [^\n]*std::range_error: op\n$");
}

TEST_P(FailureDeathTest, AHandlerOfTheProgramComesFirst) {
  const auto with_handler = [this]() noexcept {
    std::set_terminate([] { std::_Exit(77); });
    run(config(), [] { throw 42; });
  };
  EXPECT_EXIT(with_handler(), testing::ExitedWithCode(77), "^$");
}

// ---- events that an exception passes, or that nobody waits for

class Failure : public test::OnMachines {};
GRAPPA_ON(Failure, testing::Values(test::Machine{"OneCore", test::threads(1)},
                                   test::Machine{"TwoCores", test::threads(2)},
                                   test::Machine{"TwoLocales", test::cluster(2)}));

TEST_P(Failure, ARemoteErrorOfTheFunctionCountsThoseOfOtherTasks) {
  try {
    run(config(), [] {
      spawn([] { throw std::range_error("other"); });
      on_all_cores([] {
        if (this_core() == 0) throw std::range_error("the loop's");
      });
    });
    ADD_FAILURE() << "nothing was thrown";
  } catch (const RemoteError& error) {
    EXPECT_EQ(error.message(), "the loop's");
    EXPECT_EQ(error.others(), 1u);
  }
}

TEST_P(Failure, ErrorsThatTheFunctionHasWaitedForAreCountedOnce) {
  constexpr std::int64_t kLoops = 100;
  try {
    run(config(), [] {
      forall(0, kLoops, {.grain = 1}, [](std::int64_t) { throw std::range_error("of a loop"); });
    });
    ADD_FAILURE() << "nothing was thrown";
  } catch (const RemoteError& error) {
    EXPECT_LT(error.others(), static_cast<std::uint64_t>(kLoops));
  }
}

TEST_P(Failure, AChildThatATaskForksEndsWithALine) {
#if defined(GRAPPA_TSAN)
  GTEST_SKIP() << "the sanitizer's own threads do not survive the fork";
#endif
  for (const bool waits : {false, true}) {
    run(config(), [waits] {
      int ends[2] = {};
      ASSERT_EQ(pipe(ends), 0);
      const pid_t child = fork();
      ASSERT_GE(child, 0);
      if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        close(ends[1]);
        if (waits) sleep_for(1000);
        return;
      }
      close(ends[1]);
      std::string said(1000, '\0');
      said.resize(static_cast<std::size_t>(std::max<ssize_t>(0, read(ends[0], said.data(), 1000))));
      close(ends[0]);
      int status = 0;
      EXPECT_EQ(waitpid(child, &status, 0), child);
      EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 1) << status;
      EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
      EXPECT_TRUE(said.starts_with("grappa: fatal: a child that was forked inside a run")) << said;
    });
  }
}

TEST_P(Failure, AnExceptionThatPassesAnEventWaitsForItsWorkAndComesOut) {
  bool has_worked = false;
  try {
    run(config(), [at = reinterpret_cast<std::uintptr_t>(&has_worked)] {
      CompletionEvent done;
      spawn(done, [at] {
        sleep_for(1000);
        *reinterpret_cast<bool*>(at) = true;
      });
      spawn_on(done, core_count() - 1, [] { throw std::runtime_error("too late"); });
      throw std::runtime_error("no luck");
    });
    ADD_FAILURE() << "nothing was thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "no luck");
  }
  EXPECT_TRUE(has_worked);
}

TEST_P(Failure, WhatIsThrownWhereNobodyWaitsComesOutOfTheRun) {
  const auto fail_unseen = [] {
    CompletionEvent done;
    spawn_on(done, core_count() - 1, [] { throw std::runtime_error("unseen"); });
    while (!done.finished()) yield();
  };
  try {
    run(config(), fail_unseen);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const RemoteError& error) {
    EXPECT_EQ(error.message(), "unseen");
  }
}

}  // namespace
}  // namespace grappa
