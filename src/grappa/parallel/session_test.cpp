// A session: calls from any thread, one after the other, in a run that sleeps meanwhile.

#include "grappa/parallel/session.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <fstream>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "grappa/base/clock.hpp"
#include "grappa/base/error.hpp"
#include "grappa/base/topology.hpp"
#include "grappa/delegate/delegate.hpp"
#include "grappa/parallel/cancellation.hpp"
#include "grappa/parallel/collectives.hpp"
#include "grappa/parallel/forall.hpp"
#include "grappa/parallel/global_memory.hpp"
#include "grappa/parallel/spawn.hpp"
#include "grappa/parallel/test_machines.hpp"

namespace grappa {
namespace {

constexpr std::uint64_t kMs = 1'000'000;

void sleep_ms(int ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); }

class SessionTest : public test::OnMachines {};
GRAPPA_ON_MACHINES(SessionTest);

TEST_P(SessionTest, CallsRunOnCoreZeroOfOneRun) {
  Session session(config());
  for (int i = 0; i < 5; ++i) EXPECT_EQ(session.call([i] { return 10 * this_core() + i; }), i);
  EXPECT_EQ(session.call([] { return core_count(); }), config().cores * config().locales);
  EXPECT_EQ(session.call([] { return std::string("text"); }), "text");
  EXPECT_FALSE(internal::inside_runtime());
}

TEST_P(SessionTest, ACallWaitsForAllThatItCauses) {
  Session session(config());
  int visits = 0;
  session.call([&visits] {
    for (int i = 0; i < 10; ++i) {
      spawn([&visits] {
        yield();
        spawn([&visits] { ++visits; });
      });
    }
  });
  EXPECT_EQ(visits, 10);
}

TEST_P(SessionTest, WhatACallThrowsComesOut) {
  Session session(config());
  EXPECT_THROW(session.call([] { throw std::range_error("its own"); }), std::range_error);
  try {
    session.call([] {
      on_all_cores([] {
        if (this_core() == core_count() - 1) throw std::range_error("of a task");
      });
    });
    ADD_FAILURE() << "nothing was thrown";
  } catch (const RemoteError& error) {
    EXPECT_EQ(error.message(), "of a task");
  }
  EXPECT_THROW(session.call([] { spawn([] { throw std::range_error("unasked"); }); }), RemoteError);
  EXPECT_EQ(session.call([] { return 1; }), 1);
}

TEST_P(SessionTest, GlobalMemoryStaysFromCallToCall) {
  Session session(config());
  const auto numbers = session.call([] {
    const auto array = global_alloc<std::int64_t>(1000);
    forall(array, 1000, [](std::int64_t i, std::int64_t& value) { value = i; });
    return array;
  });
  for (const std::int64_t i : {0, 500, 999})
    EXPECT_EQ(session.call([=] { return delegate::read(numbers + i); }), i);
  session.call([=] { global_free(numbers); });
}

TEST_P(SessionTest, ThreadsCallOneAfterTheOther) {
  constexpr int kCalls = 50;
  Session session(config());
  std::atomic<int> running{0};
  int calls = 0;  // nothing guards it but that
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < kCalls; ++i) {
        session.call([&] {
          EXPECT_EQ(running.fetch_add(1), 0);
          yield();
          ++calls;
          running.fetch_sub(1);
        });
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(calls, 4 * kCalls);
}

// ---- cancelling

void go_on_for_ever() {
  for (;;) cancellation_point();
}

TEST_P(SessionTest, ACallIsCancelled) {
  Session session(config());
  for (int round = 0; round < 3; ++round) {
    SessionCall endless(session, [] { go_on_for_ever(); });
    EXPECT_FALSE(endless.wait_for(kMs));
    endless.cancel();
    EXPECT_THROW(endless.get(), Cancelled);
    SessionCall next(session, [round] { return round; });
    EXPECT_EQ(next.get(), round);
  }
}

// Not even where somebody goes on asking until the call has ended.
TEST_P(SessionTest, TheNextCallIsNotCancelled) {
  Session session(config());
  for (int round = 0; round < 5; ++round) {
    SessionCall endless(session, [] { go_on_for_ever(); });
    while (!endless.wait_for(50'000)) endless.cancel();
    EXPECT_THROW(endless.get(), Cancelled);
    SessionCall next(session, [] {
      return reduce_cores([] { return is_cancelled() ? 1 : 0; }, 0, std::plus<>());
    });
    EXPECT_EQ(next.get(), 0);
  }
}

TEST_P(SessionTest, WhatIsThrownForItOnAnotherCoreIsTheSame) {
  Session session(config());
  SessionCall endless(session, [] {
    on_all_cores([] {
      if (this_core() == core_count() - 1) go_on_for_ever();
    });
  });
  endless.cancel();
  EXPECT_THROW(endless.get(), Cancelled);
}

TEST_P(SessionTest, ACallThatIsCancelledBeforeItBeginsDoesNotBegin) {
  Session session(config());
  bool has_begun = false;
  SessionCall endless(session, [] { go_on_for_ever(); });
  {
    SessionCall late(session, [&has_begun] { has_begun = true; });
    late.cancel();
    endless.cancel();
    EXPECT_THROW(late.get(), Cancelled);
  }
  EXPECT_FALSE(has_begun);
}

// ---- beside the program

double processor_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// More than twice as long as it takes to find a deadlock.
TEST_P(SessionTest, AnIdleSessionSleepsAndIsNoDeadlock) {
  Session session(config());
  session.call([] {});
  sleep_ms(100);  // threads spin before they sleep
  const double before = processor_seconds();
  sleep_ms(1200);
  // A tenth of what one thread would take that spins half of the time. (The network's own threads
  // look at it again and again.)
  const double most = config().comm_core ? 10 : 0.05;
  EXPECT_LT(processor_seconds() - before, most);
  EXPECT_EQ(session.call([] { return 7; }), 7);
}

TEST(SessionProgram, TheCallingThreadStaysAsItWas) {
  const auto own_handler = [](int) {};
  struct sigaction before{};
  struct sigaction action{};
  action.sa_handler = own_handler;
  sigaction(SIGINT, &action, &before);
  cpu_set_t processors{};
  sched_getaffinity(0, sizeof processors, &processors);
  sigset_t mask{};
  pthread_sigmask(SIG_SETMASK, nullptr, &mask);
  {
    Config pinned = test::threads(1);
    pinned.pin = true;
    Session session(pinned);
    session.call([] {
      sigset_t inside{};
      pthread_sigmask(SIG_SETMASK, nullptr, &inside);
      EXPECT_TRUE(sigismember(&inside, SIGINT));
      EXPECT_FALSE(sigismember(&inside, SIGSEGV));
    });
    cpu_set_t now{};
    sched_getaffinity(0, sizeof now, &now);
    EXPECT_TRUE(CPU_EQUAL(&processors, &now));
    sigset_t mask_now{};
    pthread_sigmask(SIG_SETMASK, nullptr, &mask_now);
    EXPECT_EQ(sigismember(&mask, SIGINT), sigismember(&mask_now, SIGINT));
    struct sigaction handler{};
    sigaction(SIGINT, nullptr, &handler);
    EXPECT_EQ(handler.sa_handler, action.sa_handler);
  }
  sigaction(SIGINT, &before, nullptr);
}

TEST(SessionProgram, TwoSessionsGoOnSideBySide) {
  Session one(test::threads(1));
  Session other(test::threads(1));
  EXPECT_EQ(one.call([] { return 1; }) + other.call([] { return 2; }), 3);
}

TEST(SessionProgram, MemoryComesBack) {
  const auto resident_mib = [] {
    std::ifstream statm("/proc/self/statm");
    std::int64_t size = 0;
    std::int64_t resident = 0;
    statm >> size >> resident;
    return resident * sysconf(_SC_PAGESIZE) / (1 << 20);
  };
  const auto use_memory = [] {
    Session session(test::threads(2));
    session.call([] {
      const auto array = global_alloc<std::int64_t>(4 << 20);  // 32 MiB, left to the session
      forall(array, 4 << 20, [](std::int64_t i, std::int64_t& value) { value = i; });
    });
  };
  use_memory();
  [[maybe_unused]] const std::int64_t before = resident_mib();
  for (int i = 0; i < 10; ++i) use_memory();
#if !defined(__SANITIZE_ADDRESS__) && !defined(GRAPPA_TSAN)
  EXPECT_LT(resident_mib(), before + 64);
#endif
}

// ---- refusals

TEST(SessionRefusal, AConfigurationThatDoesNotWorkIsTheCallersError) {
  Config config;
  config.cores = 100'000;
  EXPECT_THROW(Session{config}, UsageError);
}

TEST(SessionRefusal, InsideARun) {
  Session session(test::threads(1));
  session.call([&session] {
    EXPECT_THROW(session.call([] {}), UsageError);
    EXPECT_THROW(Session{test::threads(1)}, UsageError);
  });
}

// The child ends without destructors of the parent's objects but the session's.
TEST(SessionRefusal, InAChildThatWasForked) {
  auto session = std::make_unique<Session>(test::threads(2));
  const pid_t child = fork();
  if (child == 0) {
    int status = 1;
    try {
      session->call([] {});
    } catch (const UsageError& error) {
      status = std::string(error.what()).find("forked") != std::string::npos ? 0 : 2;
    }
    session.reset();
    _exit(status);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(session->call([] { return 5; }), 5);
}

class SessionDeathTest : public test::OnMachines {
 protected:
  SessionDeathTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};
GRAPPA_ON(SessionDeathTest,
          testing::Values(test::Machine{"TwoCores", test::threads(2)},
                          test::Machine{"TwoLocales", test::cluster(2)},
                          test::Machine{"FourDeterministicLocales", test::deterministic(4)}));

TEST_P(SessionDeathTest, ACallThatWaitsForEverIsADeadlock) {
  EXPECT_EXIT(
      {
        Session session(config());
        session.call([] {
          CompletionEvent never;
          never.enroll();
          never.wait();
        });
      },
      testing::ExitedWithCode(1), "grappa: fatal: deadlock.*completion event");
}

}  // namespace
}  // namespace grappa
