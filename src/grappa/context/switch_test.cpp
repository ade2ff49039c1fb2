#include "grappa/context/switch.hpp"

#include <execinfo.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cfenv>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include "grappa/context/stack_pool.hpp"
#include "grappa/context/test_fiber.hpp"

namespace grappa::internal {
namespace {

#ifdef GRAPPA_TSAN
constexpr int kManyContexts = 2'000;  // TSan allows about 8,000 fibres
#elif defined(GRAPPA_ASAN)
constexpr int kManyContexts = 10'000;
#else
constexpr int kManyContexts = 100'000;
#endif

class SwitchTest : public testing::Test {
 protected:
  StackPool pool_{128 * 1024, StackMode::kGuarded};
};

TEST_F(SwitchTest, RunsTheEntryFunctionAndComesBack) {
  std::vector<int> order;
  TestFiber fiber(pool_, [&](TestFiber& self) {
    order.push_back(1);
    self.suspend();
    order.push_back(3);
  });
  EXPECT_TRUE(order.empty());
  fiber.resume();
  order.push_back(2);
  fiber.resume();
  EXPECT_THAT(order, testing::ElementsAre(1, 2, 3));
  EXPECT_TRUE(fiber.finished());
}

struct Seen {
  Context main;
  Context self;
  void* argument = nullptr;
  std::uintptr_t frame = 0;
};

void note_argument(void* argument) {
  auto& seen = *static_cast<Seen*>(argument);
  seen.argument = argument;
  seen.frame = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  switch_context(seen.self, seen.main);
}

TEST_F(SwitchTest, PassesTheArgumentAndStaysInsideTheStack) {
  for (const std::size_t color : {0, 64, 960}) {
    const Stack stack = pool_.allocate();
    Seen seen;
    seen.self = make_context(stack.low, stack.bytes, &note_argument, &seen, color);
    seen.main = thread_context();
    switch_context(seen.main, seen.self);
    EXPECT_EQ(seen.argument, &seen);
    EXPECT_EQ(seen.frame % 16, 0u);
    const auto low = reinterpret_cast<std::uintptr_t>(stack.low);
    EXPECT_GE(seen.frame, low);
    EXPECT_LT(seen.frame, low + stack.bytes - color);
    destroy_context(seen.self);
    pool_.release(stack);
  }
}

TEST_F(SwitchTest, CopiesOfAContextAreOneContext) {
  int runs = 0;
  const Stack stack = pool_.allocate();
  struct Shared {
    Context main;
    std::array<Context, 2> slots;
    int* runs;
  } shared{{}, {}, &runs};
  Context first = make_context(
      stack.low, stack.bytes,
      [](void* argument) {
        auto& s = *static_cast<Shared*>(argument);
        // Left in one slot after the other, as a ring of ready contexts does it.
        for (int i = 0;; ++i) {
          ++*s.runs;
          switch_context(s.slots[static_cast<std::size_t>(i % 2)], s.main);
        }
      },
      &shared);
  Context next = first;
  for (int i = 0; i < 10; ++i) {
    switch_context(shared.main, next);
    next = shared.slots[static_cast<std::size_t>(i % 2)];
    shared.slots[static_cast<std::size_t>(i % 2)] = Context{};
  }
  EXPECT_EQ(runs, 10);
  destroy_context(next);
  pool_.release(stack);
}

// Values that must outlive a switch during which somebody else used every register.
TEST_F(SwitchTest, PreservesRegisters) {
  const auto churn = [](TestFiber& self, std::uint64_t seed) {
    std::uint64_t a = seed, b = seed * 3, c = seed * 5, d = seed * 7, e = seed * 11, f = seed * 13;
    std::uint64_t g = seed * 17, h = seed * 19;
    double x = 1.5 * static_cast<double>(seed), y = x * 3, z = x * 5, w = x * 7;
    for (int i = 0; i < 100; ++i) {
      a += b ^ 1, b += c ^ 2, c += d ^ 3, d += e ^ 4, e += f ^ 5, f += g ^ 6, g += h ^ 7, h += a;
      x += y, y += z, z += w, w += 1;
      self.suspend();
    }
    return static_cast<double>((a ^ b ^ c ^ d ^ e ^ f ^ g ^ h) >> 16) + x + y + z + w;
  };
  // The same sums without anybody in between.
  std::array<double, 4> alone{};
  std::array<double, 4> together{};
  for (std::uint64_t i = 0; i < 4; ++i) {
    TestFiber fiber(pool_, [&](TestFiber& self) { alone[i] = churn(self, i + 1); });
    while (!fiber.finished()) fiber.resume();
  }
  std::vector<std::unique_ptr<TestFiber>> fibers;
  for (std::uint64_t i = 0; i < 4; ++i) {
    fibers.push_back(std::make_unique<TestFiber>(
        pool_, [&, i](TestFiber& self) { together[i] = churn(self, i + 1); }));
  }
  while (!fibers.back()->finished()) {
    for (auto& fiber : fibers) {
      if (!fiber->finished()) fiber->resume();
    }
  }
  EXPECT_EQ(alone, together);
}

#if defined(__x86_64__)
// Changes every register that it may: what lives across a switch must be in memory then.
inline void change_all_registers() {
  asm volatile(
      "movq $-1, %%rax\n\t"
      "movq %%rax, %%rbx\n\t"
      "movq %%rax, %%rcx\n\t"
      "movq %%rax, %%rdx\n\t"
      "movq %%rax, %%rsi\n\t"
      "movq %%rax, %%rdi\n\t"
      "movq %%rax, %%r8\n\t"
      "movq %%rax, %%r9\n\t"
      "movq %%rax, %%r10\n\t"
      "movq %%rax, %%r11\n\t"
      "movq %%rax, %%r12\n\t"
      "movq %%rax, %%r13\n\t"
      "movq %%rax, %%r14\n\t"
      "movq %%rax, %%r15\n\t"
      "movq %%rax, %%xmm0\n\t"
      "movaps %%xmm0, %%xmm1\n\t"
      "movaps %%xmm0, %%xmm2\n\t"
      "movaps %%xmm0, %%xmm3\n\t"
      "movaps %%xmm0, %%xmm4\n\t"
      "movaps %%xmm0, %%xmm5\n\t"
      "movaps %%xmm0, %%xmm6\n\t"
      "movaps %%xmm0, %%xmm7\n\t"
      "movaps %%xmm0, %%xmm8\n\t"
      "movaps %%xmm0, %%xmm9\n\t"
      "movaps %%xmm0, %%xmm10\n\t"
      "movaps %%xmm0, %%xmm11\n\t"
      "movaps %%xmm0, %%xmm12\n\t"
      "movaps %%xmm0, %%xmm13\n\t"
      "movaps %%xmm0, %%xmm14\n\t"
      "movaps %%xmm0, %%xmm15"
      :
      :
      : "rax", "rbx", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14",
        "r15", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9",
        "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "cc");
}
#else
inline void change_all_registers() {}
#endif

// Without a call in it, and so with all its values in registers where the switch lets them.
TEST_F(SwitchTest, KeepsWhatIsLocalToALoopWithoutCalls) {
  struct Pair {
    Context main;
    Context other;
    std::uint64_t sum = 0;
    double product = 0;
    bool done = false;
  } pair{};
  const Stack stack = pool_.allocate();
  pair.other = make_context(
      stack.low, stack.bytes,
      [](void* argument) {
        auto& p = *static_cast<Pair*>(argument);
        std::uint64_t a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7;
        double x = 1, y = 2, z = 3;
        for (int i = 0; i < 1000; ++i) {
          switch_context(p.other, p.main);
          a += b, b += c, c += d, d += e, e += f, f += g, g += a ^ 1;
          x = x / 3 + y, y = y / 3 + z, z = z / 3 + x;
        }
        p.sum = a + b + c + d + e + f + g;
        p.product = x * y * z;
        p.done = true;
        switch_final(p.main);
      },
      &pair);
  while (!pair.done) {
    switch_context(pair.main, pair.other);
    change_all_registers();
  }
  std::uint64_t a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7;
  double x = 1, y = 2, z = 3;
  for (int i = 0; i < 1000; ++i) {
    a += b, b += c, c += d, d += e, e += f, f += g, g += a ^ 1;
    x = x / 3 + y, y = y / 3 + z, z = z / 3 + x;
  }
  EXPECT_EQ(pair.sum, a + b + c + d + e + f + g);
  EXPECT_DOUBLE_EQ(pair.product, x * y * z);
  destroy_context(pair.other);
  pool_.release(stack);
}

// The base pointer is saved by hand; a frame of variable size is addressed through it.
TEST_F(SwitchTest, KeepsTheBasePointer) {
  std::int64_t total = 0;
  const auto use_the_base_pointer = [&](TestFiber& self, int bytes) {
    auto* room = static_cast<volatile char*>(__builtin_alloca(static_cast<std::size_t>(bytes)));
    for (int i = 0; i < bytes; ++i) room[i] = static_cast<char>(i);
    self.suspend();
    for (int i = 0; i < bytes; ++i) total += room[i] == static_cast<char>(i) ? 1 : 0;
  };
  std::vector<std::unique_ptr<TestFiber>> fibers;
  for (int i = 1; i <= 10; ++i) {
    fibers.push_back(std::make_unique<TestFiber>(
        pool_, [&, i](TestFiber& self) { use_the_base_pointer(self, 100 * i); }));
  }
  for (int round = 0; round < 2; ++round) {
    for (auto& fiber : fibers) fiber->resume();
  }
  EXPECT_EQ(total, 5500);
}

TEST_F(SwitchTest, LeavesTheRoundingModeToTheThread) {
  int seen = -1;
  TestFiber fiber(pool_, [&](TestFiber& self) {
    self.suspend();
    seen = std::fegetround();
  });
  fiber.resume();
  const int before = std::fegetround();
  std::fesetround(FE_DOWNWARD);
  fiber.resume();
  std::fesetround(before);
  EXPECT_EQ(seen, FE_DOWNWARD);
}

// Contexts that switch to one another directly, in a ring.
struct Ring {
  std::vector<Context> contexts;
  std::vector<int> visits;
  Context main;
  int rounds = 0;
  int next_name = 0;
};

void go_round(void* argument) {
  Ring& ring = *static_cast<Ring*>(argument);
  const auto self = static_cast<std::size_t>(ring.next_name++);
  for (;;) {
    const bool last = self + 1 == ring.contexts.size();
    if (++ring.visits[self] == ring.rounds && last) switch_context(ring.contexts[self], ring.main);
    switch_context(ring.contexts[self], ring.contexts[last ? 0 : self + 1]);
  }
}

void run_ring(StackPool& pool, int contexts, int rounds) {
  Ring ring;
  ring.rounds = rounds;
  ring.visits.resize(static_cast<std::size_t>(contexts));
  std::vector<Stack> stacks;
  for (int i = 0; i < contexts; ++i) {
    stacks.push_back(pool.allocate());
    ring.contexts.push_back(make_context(stacks.back().low, stacks.back().bytes, &go_round, &ring,
                                         stack_color(stacks.back().index)));
  }
  switch_context(ring.main, ring.contexts[0]);
  EXPECT_THAT(ring.visits, testing::Each(rounds));
  for (Context& context : ring.contexts) destroy_context(context);
  for (const Stack& stack : stacks) pool.release(stack);
}

TEST_F(SwitchTest, RingOfAThousand) { run_ring(pool_, 1000, 100); }

TEST_F(SwitchTest, RingOfManyContexts) { run_ring(pool_, kManyContexts, 3); }

TEST_F(SwitchTest, StacksAreReusedByNewContexts) {
  for (int i = 0; i < 1000; ++i) {
    int sum = 0;
    TestFiber fiber(pool_, [&](TestFiber& self) {
      std::array<volatile int, 64> local{};
      for (volatile int& value : local) value = 1;
      self.suspend();
      for (volatile int& value : local) sum += value;
    });
    fiber.resume();
    // Some end, some are dropped while suspended.
    if (i % 2 == 0) {
      fiber.resume();
      EXPECT_EQ(sum, 64);
    }
  }
  EXPECT_EQ(pool_.allocated(), 0u);
}

TEST_F(SwitchTest, EachThreadHasItsOwnContexts) {
  std::vector<std::thread> threads;
  std::array<int, 3> results{};
  for (int& result : results) {
    threads.emplace_back([&result] {
      StackPool pool(64 * 1024, StackMode::kGuarded);
      TestFiber fiber(pool, [&](TestFiber& self) {
        for (int i = 0; i < 100; ++i) {
          ++result;
          self.suspend();
        }
      });
      while (!fiber.finished()) fiber.resume();
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(results, testing::Each(100));
}

// Unwinding.

__attribute__((noinline)) int frames_here(int depth) {
  if (depth > 0) {
    const int frames = frames_here(depth - 1);
    asm volatile("");  // not a tail call
    return frames;
  }
  std::array<void*, 256> addresses;
  return backtrace(addresses.data(), static_cast<int>(addresses.size()));
}

TEST_F(SwitchTest, BacktracesEndAtTheEntry) {
  int shallow = 0;
  int deep = 0;
  TestFiber fiber(pool_, [&](TestFiber& self) {
    shallow = frames_here(0);
    self.suspend();
    deep = frames_here(20);
  });
  fiber.resume();
  fiber.resume();
  EXPECT_GT(shallow, 1);
  EXPECT_LT(shallow, 40);
  EXPECT_EQ(deep, shallow + 20);
}

TEST_F(SwitchTest, ExceptionsAreThrownAndCaughtInside) {
  std::string caught;
  TestFiber fiber(pool_, [&](TestFiber& self) {
    try {
      self.suspend();
      throw std::runtime_error("inside");
    } catch (const std::exception& error) {
      caught = error.what();
    }
  });
  fiber.resume();
  fiber.resume();
  EXPECT_EQ(caught, "inside");
  EXPECT_TRUE(fiber.finished());
}

using SwitchDeathTest = SwitchTest;

TEST_F(SwitchDeathTest, AnExceptionThatLeavesTheEntryTerminates) {
  EXPECT_DEATH(
      {
        TestFiber fiber(pool_, [](TestFiber&) { throw std::runtime_error("nobody's"); });
        fiber.resume();
      },
      "nobody's");
}

TEST_F(SwitchDeathTest, AnEntryThatReturnsIsNamed) {
  EXPECT_DEATH(
      {
        const Stack stack = pool_.allocate();
        Context main;
        const Context context = make_context(stack.low, stack.bytes, [](void*) {}, nullptr);
        switch_context(main, context);
      },
      "grappa: fatal: the entry function of a context returned");
}

}  // namespace
}  // namespace grappa::internal
