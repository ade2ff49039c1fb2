// Stacks that overflow in whole runs: with every kind of stack, and on a kernel that has no guard
// pages (a filter refuses the call, as Linux did before 6.13).

#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <tuple>

#include "grappa/context/stack_pool.hpp"
#include "grappa/grappa.hpp"
#include "grappa/parallel/test_machines.hpp"
#include "grappa/tasking/scheduler.hpp"

namespace grappa {
namespace {

constexpr std::uint32_t kMadvGuardInstall = 102;

/// From now on madvise(MADV_GUARD_INSTALL) fails with EINVAL in this thread and those it starts.
void refuse_guard_pages() {
  sock_filter instructions[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_madvise, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args[2])),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kMadvGuardInstall, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EINVAL),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog filter{std::size(instructions), instructions};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) {
    internal::fatal("no filter for system calls");
  }
  if (!internal::StackPool(internal::page_size(), StackMode::kGuarded).has_canaries()) {
    internal::fatal("there are guard pages nevertheless");
  }
}

bool has_system_call_filters() { return prctl(PR_GET_SECCOMP, 0, 0, 0, 0) >= 0; }

/// Fills its stack down to a little below the low end, then lets others run. Not instrumented: ASan
/// may put the frames elsewhere, and knows that nobody may write there.
__attribute__((noinline, no_sanitize("address"))) int dive_below(std::uintptr_t low) {
  volatile char frame[256];
  for (volatile char& byte : frame) byte = 0x11;
  const auto frame_address = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  int below = 0;
  if (frame_address > low - 512) {
    below = dive_below(low);
  } else {
    yield();
  }
  return below + frame[0];
}

struct TaskThatDivesTooDeep {
  void operator()() const {
    const internal::Stack& stack = internal::this_scheduler().current().stack;
    if (stack.index == 0) {
      // Nothing has to be below the lowest stack. While this task waits, another one serves.
      CompletionEvent done;
      spawn(done, TaskThatDivesTooDeep{});
      done.wait();
    } else {
      dive_below(reinterpret_cast<std::uintptr_t>(stack.low));
    }
  }
};

/// Uses about so many bytes of stack, and gives way to others at the deepest point; returns how
/// many of its frames were what they had been when it came back to them.
__attribute__((noinline)) int frames_that_survive(std::int64_t bytes, char content) {
  std::array<volatile char, 480> frame;
  for (volatile char& byte : frame) byte = content;
  int intact = 0;
  if (bytes > 512) {
    intact = frames_that_survive(bytes - 512, static_cast<char>(content + 1));
  } else {
    yield();
    sleep_for(1000);
  }
  for (const volatile char& byte : frame) {
    if (byte != content) return intact;
  }
  return intact + 1;
}

struct Stacks {
  const char* name;
  const char* option;    // of --stacks
  bool refused = false;  // the kernel has no guard pages
  friend std::ostream& operator<<(std::ostream& out, const Stacks& stacks) {
    return out << stacks.name;
  }
};

class StackOverflowDeathTest : public testing::TestWithParam<std::tuple<Stacks, test::Machine>> {
 protected:
  void SetUp() override {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    if (stacks().refused && !has_system_call_filters())
      GTEST_SKIP() << "this kernel does not filter system calls";
  }
  static const Stacks& stacks() { return std::get<0>(GetParam()); }

  template <class F>
  static void run_on_these_stacks(F body, std::size_t stack_bytes = std::size_t{64} << 10) {
    if (stacks().refused) refuse_guard_pages();
    Config config = std::get<1>(GetParam()).config;
    config.stack_bytes = stack_bytes;
    set_option(config, "stacks", stacks().option);
    run(config, body);
  }
};

INSTANTIATE_TEST_SUITE_P(
    On, StackOverflowDeathTest,
    testing::Combine(testing::Values(Stacks{"Guarded", "guarded"}, Stacks{"Canary", "canary"},
                                     Stacks{"Huge", "huge"},
                                     Stacks{"GuardedWithoutGuardPages", "guarded", true}),
                     testing::Values(test::Machine{"OneCore", test::threads(1)},
                                     test::Machine{"TwoCores", test::threads(2)},
                                     test::Machine{"TwoLocales", test::cluster(2, 1)},
                                     test::Machine{"FourDeterministicCores",
                                                   test::deterministic(2, 2, 1)})),
    [](const auto& test) {
      return std::string(std::get<0>(test.param).name) + std::get<1>(test.param).name;
    });

/// As the optimizer cannot tell, without end.
__attribute__((noinline)) int recurse(int depth) {
  volatile char frame[512];
  frame[0] = static_cast<char>(depth);
  return depth < 0 ? frame[0] : recurse(depth + 1) + frame[0];
}

struct DelegateThatRecurses {
  void operator()() const { recurse(0); }
};

/// The regular expression, or what the address sanitizer says: without guard pages, it may be the
/// first to notice that the task is on another one's stack.
std::string as_reported(std::string expected) {
#if defined(__SANITIZE_ADDRESS__)
  expected += "|ERROR: AddressSanitizer: ";
#endif
  return expected;
}

TEST_P(StackOverflowDeathTest, NamesTheTaskAndTheKnob) {
  EXPECT_EXIT(run_on_these_stacks([] { spawn_on(core_count() - 1, TaskThatDivesTooDeep{}); }),
              testing::ExitedWithCode(1),
              as_reported("grappa: fatal: stack overflow in .*TaskThatDivesTooDeep.*: stacks are "
                          "64 KiB; raise --stack-size .GRAPPA_STACK_SIZE."));
}

/// Among many others, all of which are suspended.
TEST_P(StackOverflowDeathTest, IsFoundAmongManyTasks) {
  EXPECT_EXIT(run_on_these_stacks(
                  [] {
                    CompletionEvent done;
                    for (int i = 0; i < 200; ++i)
                      spawn_on(done, i % core_count(), [] { sleep_for(1'000'000'000'000); });
                    sleep_for(1'000'000);
                    spawn_on(done, core_count() - 1, TaskThatDivesTooDeep{});
                    done.wait();
                  },
                  std::size_t{32} << 10),
              testing::ExitedWithCode(1),
              as_reported("stack overflow in .*TaskThatDivesTooDeep.*stacks are 32 KiB"));
}

TEST_P(StackOverflowDeathTest, TasksThatStayOnTheirStacksComeToNoHarm) {
  const auto body = [] {
    run_on_these_stacks([] {
      constexpr std::int64_t kTasks = test::tasks(1000);
      constexpr std::int64_t kBytes = 20 << 10;
      const auto sum = symmetric_alloc<std::int64_t>();
      CompletionEvent done;
      for (std::int64_t i = 0; i < kTasks; ++i) {
        spawn_on(done, static_cast<int>(i) % core_count(), [=] {
          delegate::increment(sum.on(0), frames_that_survive(kBytes, static_cast<char>(i)));
        });
      }
      done.wait();
      const bool right = sum.local() == kTasks * (kBytes / 512);
      symmetric_free(sum);
      if (!right) internal::fatal("a stack was written over");
    });
    _exit(0);
  };
  EXPECT_EXIT(body(), testing::ExitedWithCode(0), "");
}

/// What the message advises helps.
TEST_P(StackOverflowDeathTest, LargerStacksAreTheCure) {
  const auto body = [] {
    run_on_these_stacks([] { spawn([] { frames_that_survive(100 << 10, 'a'); }); },
                        std::size_t{256} << 10);
    _exit(0);
  };
  EXPECT_EXIT(body(), testing::ExitedWithCode(0), "");
}

/// It has no stack of its own.
TEST_P(StackOverflowDeathTest, ADelegateIsNamedWithTheStackItRunsOn) {
  EXPECT_EXIT(
      run_on_these_stacks([] { delegate::async::call(core_count() - 1, DelegateThatRecurses{}); }),
      testing::ExitedWithCode(1),
      as_reported("grappa: fatal: stack overflow in "
                  "grappa::.anonymous namespace.::DelegateThatRecurses; raise the limit of "
                  "the stacks of threads .ulimit -s., where delegates of other tasks run"));
}

struct DelegateThatFaults {
  void operator()() const { *reinterpret_cast<volatile int*>(8) = 1; }
};

TEST_P(StackOverflowDeathTest, AFaultInADelegateNamesItOnce) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizer's handler is there";
#endif
  EXPECT_EXIT(run_on_these_stacks([] {
                forall_here(0, core_count(), [](std::int64_t core) {
                  delegate::async::call(static_cast<int>(core), DelegateThatFaults{});
                });
              }),
              testing::KilledBySignal(SIGSEGV),
              "^grappa: fatal: no memory is at an address that was used, in "
              "grappa::.anonymous namespace.::DelegateThatFaults\n$");
}

}  // namespace
}  // namespace grappa
