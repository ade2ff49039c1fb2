#include "grappa/context/overflow.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <csetjmp>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <thread>

#include "grappa/context/stack_pool.hpp"
#include "grappa/context/test_fiber.hpp"

namespace grappa::internal {
namespace {

constexpr std::size_t kStackBytes = 128 * 1024;
constexpr const char* kMessage =
    "^grappa: fatal: stack overflow in task counting on core 3: stacks are 128 KiB; "
    "raise --stack-size \\(GRAPPA_STACK_SIZE\\), or start .* with spawn\\(kLargeStack, "
    "\\.\\.\\.\\)\n$";

void describe(void* text, TaskDescription& description) {
  const std::string_view name = static_cast<const char*>(text);
  description.size = name.copy(description.name, description.size);
}

char task_name[] = "task counting on core 3";

// Endless, in a way that no optimizer or warning sees through. Frames are larger than a page, so
// that only probing meets every page.
__attribute__((noinline)) int recurse(int depth, volatile bool* go_on) {
  volatile char frame[6000];
  frame[depth % 6000] = 1;
  const int below = *go_on ? recurse(depth + 1, go_on) : 0;
  return below + frame[depth % 6000];
}

void overflow_a_stack(StackPool& pool) {
  TestFiber fiber(pool, [](TestFiber&) {
    volatile bool go_on = true;
    recurse(0, &go_on);
  });
  fiber.resume();
}

// Writes over the canary below a stack, and not so far as to leave the neighbor's. Not
// instrumented: ASan may put the frames elsewhere.
__attribute__((noinline, no_sanitize("address"))) int dive_below(std::uintptr_t low) {
  volatile char frame[256];
  for (volatile char& byte : frame) byte = 0x11;
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  const int below = here > low - 512 ? dive_below(low) : 0;
  return below + frame[0];
}

class OverflowDeathTest : public testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

bool kernel_has_guards() { return !StackPool(kStackBytes, StackMode::kGuarded).has_canaries(); }

TEST_F(OverflowDeathTest, RecursionIntoTheGuardNamesTheTask) {
  if (!kernel_has_guards()) GTEST_SKIP() << "this kernel has no MADV_GUARD_INSTALL";
  EXPECT_EXIT(
      {
        StackPool pool(kStackBytes, StackMode::kGuarded);
        const OverflowWatch watch(&describe, task_name);
        overflow_a_stack(pool);
      },
      testing::ExitedWithCode(1), kMessage);
}

TEST_F(OverflowDeathTest, IsReportedOnEveryThreadWithAWatch) {
  if (!kernel_has_guards()) GTEST_SKIP() << "this kernel has no MADV_GUARD_INSTALL";
  EXPECT_EXIT(
      {
        const OverflowWatch other(&describe, const_cast<char*>("task of the main thread"));
        std::thread thread([] {
          StackPool pool(kStackBytes, StackMode::kGuarded);
          for (int i = 0; i < 100; ++i) pool.allocate();
          const OverflowWatch watch(&describe, task_name);
          overflow_a_stack(pool);
        });
        thread.join();
      },
      testing::ExitedWithCode(1), kMessage);
}

TEST_F(OverflowDeathTest, CanariesTellAfterwards) {
  EXPECT_EXIT(
      {
        StackPool pool(kStackBytes, StackMode::kGuarded, StackPool::Guards::kUnavailable);
        const Stack neighbor = pool.allocate();
        TestFiber fiber(pool, [](TestFiber& self) {
          dive_below(reinterpret_cast<std::uintptr_t>(self.stack().low));
          self.suspend();
        });
        fiber.resume();
        if (!pool.intact(fiber.stack())) report_stack_overflow(task_name, pool.stack_bytes());
        pool.release(neighbor);
      },
      testing::ExitedWithCode(1), kMessage);
}

// Faults that are not an overflow.

sigjmp_buf after_fault;
int faults_passed_on = 0;

void jump_out(int) {
  ++faults_passed_on;
  siglongjmp(after_fault, 1);
}

void touch(void* address) { *static_cast<volatile char*>(address) = 1; }

TEST_F(OverflowDeathTest, AFaultNowhereSaysThatThereIsNoRun) {
  watch_nowhere();
  EXPECT_EXIT(touch(reinterpret_cast<void*>(kNowhere + 100)), testing::ExitedWithCode(1),
              "^grappa: fatal: Grappa was called outside a run");
  EXPECT_EXIT(
      {
        const OverflowWatch watch(&describe, task_name);
        std::thread([] { touch(reinterpret_cast<void*>(kNowhereEnd - 1)); }).join();
      },
      testing::ExitedWithCode(1), "^grappa: fatal: Grappa was called outside a run");
#if !defined(GRAPPA_ASAN) && !defined(GRAPPA_TSAN)
  EXPECT_EXIT(touch(nullptr), testing::KilledBySignal(SIGSEGV), "");
#endif
}

class FaultTest : public testing::Test {
 protected:
  void SetUp() override {
#if defined(GRAPPA_ASAN) || defined(GRAPPA_TSAN)
    GTEST_SKIP() << "jumps out of signal handlers";
#endif
    struct sigaction action{};
    action.sa_handler = &jump_out;
    sigemptyset(&action.sa_mask);
    sigaction(SIGSEGV, &action, &before_);
    faults_passed_on = 0;
  }
  void TearDown() override {
    if (!IsSkipped()) sigaction(SIGSEGV, &before_, nullptr);
  }

  static void* current_handler() {
    struct sigaction action{};
    sigaction(SIGSEGV, nullptr, &action);
    return reinterpret_cast<void*>(action.sa_handler);
  }

  struct sigaction before_{};
};

TEST_F(FaultTest, GoesToTheHandlerThatWasThereBefore) {
  const Mapping forbidden =
      Mapping::reserve({.bytes = page_size(), .access = MappingAccess::kNone});
  const OverflowWatch watch(&describe, task_name);
  if (sigsetjmp(after_fault, 1) == 0) touch(forbidden.data());
  EXPECT_EQ(faults_passed_on, 1);
}

TEST_F(FaultTest, AStrayWriteIntoAGuardIsNotAnOverflow) {
  StackPool pool(kStackBytes, StackMode::kGuarded);
  if (pool.has_canaries()) GTEST_SKIP() << "this kernel has no MADV_GUARD_INSTALL";
  const Stack stack = pool.allocate();
  const OverflowWatch watch(&describe, task_name);
  if (sigsetjmp(after_fault, 1) == 0) touch(static_cast<char*>(stack.low) - 1);
  EXPECT_EQ(faults_passed_on, 1);
}

TEST_F(FaultTest, HandlerIsInstalledOnceAndTakenOutWithTheLastWatch) {
  void* const former = current_handler();
  {
    const OverflowWatch outer(&describe, task_name);
    void* const ours = current_handler();
    EXPECT_NE(ours, former);
    {
      const OverflowWatch inner(&describe, task_name);
      EXPECT_EQ(current_handler(), ours);
    }
    EXPECT_EQ(current_handler(), ours);
  }
  EXPECT_EQ(current_handler(), former);
}

struct sigaction below;
void call_the_one_below(int signal, siginfo_t* info, void* context) {
  below.sa_sigaction(signal, info, context);
}

TEST_F(FaultTest, AHandlerPutOnTopStaysAndMayCallOurs) {
  struct sigaction on_top{};
  on_top.sa_sigaction = &call_the_one_below;
  on_top.sa_flags = SA_SIGINFO;
  sigemptyset(&on_top.sa_mask);
  {
    const OverflowWatch watch(&describe, task_name);
    sigaction(SIGSEGV, &on_top, &below);
  }
  EXPECT_EQ(current_handler(), reinterpret_cast<void*>(&call_the_one_below));
  {
    const OverflowWatch watch(&describe, task_name);
    const Mapping forbidden =
        Mapping::reserve({.bytes = page_size(), .access = MappingAccess::kNone});
    if (sigsetjmp(after_fault, 1) == 0) touch(forbidden.data());
    EXPECT_EQ(faults_passed_on, 1);
    sigaction(SIGSEGV, &below, nullptr);  // and goes again
  }
}

TEST_F(FaultTest, TheAlternateStackIsTheThreadsFormerOneAgain) {
  stack_t before{};
  sigaltstack(nullptr, &before);
  {
    const AltStack ours;
    stack_t during{};
    sigaltstack(nullptr, &during);
    EXPECT_NE(during.ss_sp, before.ss_sp);
    EXPECT_EQ(during.ss_flags & SS_DISABLE, 0);
  }
  stack_t after{};
  sigaltstack(nullptr, &after);
  EXPECT_EQ(after.ss_flags, before.ss_flags);
  EXPECT_EQ(after.ss_sp, before.ss_sp);
}

TEST_F(OverflowDeathTest, WithoutAFormerHandlerAFaultEndsTheProcessAsUsual) {
#if defined(GRAPPA_ASAN) || defined(GRAPPA_TSAN)
  GTEST_SKIP() << "the sanitizer's handler is there";
#endif
  EXPECT_EXIT(
      {
        const OverflowWatch watch(&describe, task_name);
        const Mapping forbidden =
            Mapping::reserve({.bytes = page_size(), .access = MappingAccess::kNone});
        touch(forbidden.data());
      },
      testing::KilledBySignal(SIGSEGV),
      "^grappa: fatal: no memory is at an address that was used, in [^\n]+\n$");
  EXPECT_EXIT(
      {
        const OverflowWatch watch(&describe, task_name);
        raise(SIGSEGV);
      },
      testing::KilledBySignal(SIGSEGV), "");
}

TEST_F(OverflowDeathTest, ReportsSizesAndCutsLongNames) {
  EXPECT_EXIT(report_stack_overflow("task x", 5000), testing::ExitedWithCode(1),
              "stacks are 5000 B");
  const std::string longest(5000, 'x');
  EXPECT_EXIT(report_stack_overflow(longest.c_str(), 64 * 1024), testing::ExitedWithCode(1),
              "stacks are 64 KiB");
}

}  // namespace
}  // namespace grappa::internal
