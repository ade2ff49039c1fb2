#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "grappa/container/global_array.hpp"
#include "grappa/container/global_queue.hpp"
#include "grappa/container/global_stack.hpp"
#include "grappa/container/test_combining.hpp"
#include "grappa/message/metrics.hpp"
#include "grappa/parallel/collectives.hpp"
#include "grappa/parallel/owned.hpp"
#include "grappa/parallel/test_credit.hpp"
#include "grappa/parallel/test_machines.hpp"

namespace grappa {
namespace {

using Stack = GlobalStack<std::int64_t>;
using Queue = GlobalQueue<std::int64_t>;

TEST(GlobalStack, OperationsDoWhatTheySayOnEveryCore) {
  test::on_machines_either_way([] {
    const Owned<Stack> stack = Stack::create();
    for (int core = 0; core < core_count(); ++core) {
      delegate::call(core, [] {});
      CompletionEvent done;
      spawn_on(done, core, [stack = *stack] {
        EXPECT_EQ(stack.try_pop(), std::nullopt);
        stack.push(1);
        stack.push(2);
        EXPECT_EQ(stack.size(), 2);
        EXPECT_EQ(stack.try_pop(), 2);
        const std::array<std::int64_t, 3> more{3, 4, 5};
        stack.push(more);
        std::array<std::int64_t, 8> out{};
        EXPECT_EQ(stack.try_pop(out), 4u);
        EXPECT_EQ(out[0], 5);
        EXPECT_EQ(out[3], 1);
        stack.push(9);
        stack.clear();
        EXPECT_EQ(stack.size(), 0);
      });
      done.wait();
    }
  });
}

TEST(GlobalQueue, OperationsDoWhatTheySayOnEveryCore) {
  test::on_machines_either_way([] {
    const Owned<Queue> queue = Queue::create();
    for (int core = 0; core < core_count(); ++core) {
      CompletionEvent done;
      spawn_on(done, core, [queue = *queue] {
        EXPECT_EQ(queue.try_dequeue(), std::nullopt);
        const std::array<std::int64_t, 3> some{3, 4, 5};
        queue.enqueue(some);
        queue.enqueue(6);
        EXPECT_EQ(queue.dequeue(), 3);
        std::array<std::int64_t, 2> out{};
        EXPECT_EQ(queue.try_dequeue(out), 2u);
        EXPECT_EQ(out[1], 5);
        std::int64_t sum = 0;
        queue.forall([to = GlobalAddress<std::int64_t>::of_local(&sum)](std::int64_t& x) {
          delegate::async::increment(to, x);
        });
        EXPECT_EQ(sum, 6);
        EXPECT_EQ(queue.size(), 1);
        EXPECT_EQ(queue.try_dequeue(), 6);
      });
      done.wait();
    }
  });
}

TEST(GlobalQueue, DeliversEachValueOnceToThoseWhoWaitUntilItIsClosed) {
  test::on_machines_either_way([] {
    const Owned<Queue> queue = Queue::create();
    const std::int64_t each = 200;
    const std::int64_t all = each * core_count();
    const auto taken = GlobalArray<std::int64_t>::create(all);
    CompletionEvent consumers;
    test::for_each_core([&](int core) {
      for (int task = 0; task < 5; ++task) {
        spawn_on(consumers, core, [queue = *queue, taken] {
          while (const auto value = queue.dequeue()) delegate::increment(taken[*value]);
        });
      }
    });
    CompletionEvent producers;
    test::for_each_core([&](int core) {
      for (int task = 0; task < 4; ++task) {
        spawn_on(producers, core, [queue = *queue, each, core, task] {
          for (std::int64_t i = task; i < each; i += 4) {
            if (i % 3 == 0) {
              queue.enqueue(core * each + i);
            } else {
              queue.async_enqueue(core * each + i);
            }
          }
        });
      }
    });
    producers.wait();
    queue->close();
    consumers.wait();
    std::int64_t wrong = 0;
    for (std::int64_t i = 0; i < all; ++i) wrong += delegate::read(taken[i]) == 1 ? 0 : 1;
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(queue->dequeue(), std::nullopt);
    GlobalArray<std::int64_t>(taken).destroy();
  });
}

TEST(GlobalQueue, KeepsTheOrderOfEachProducer) {
  test::on_machines_either_way([] {
    const Owned<Queue> queue = Queue::create();
    CompletionEvent producers;
    test::for_each_core([&](int core) {
      for (int task = 0; task < 3; ++task) {
        spawn_on(producers, core, [queue = *queue, producer = core * 3 + task] {
          for (std::int64_t i = 0; i < 30; ++i) queue.enqueue(producer * 1000 + i);
        });
      }
    });
    producers.wait();
    std::map<std::int64_t, std::int64_t> next;
    std::int64_t count = 0;
    while (const auto value = queue->try_dequeue()) {
      EXPECT_EQ(*value % 1000, next[*value / 1000]++);
      ++count;
    }
    EXPECT_EQ(count, 90 * core_count());
  });
}

TEST(GlobalStack, GivesBackAllThatManyTasksPush) {
  test::on_machines_either_way([] {
    const Owned<Stack> stack = Stack::create();
    const std::int64_t total = reduce_cores(
        [stack = *stack] {
          std::int64_t balance = 0;
          const auto at = GlobalAddress<std::int64_t>::of_local(&balance);
          CompletionEvent done;
          for (int task = 0; task < 20; ++task) {
            spawn(done, [stack, at, task] {
              for (std::int64_t i = 0; i < 20; ++i) {
                if ((i + task) % 2 == 0) {
                  stack.push(i + 1);
                  *at.pointer() += i + 1;
                } else if (const auto value = stack.try_pop()) {
                  *at.pointer() -= *value;
                }
              }
            });
          }
          done.wait();
          return balance;
        },
        std::int64_t{0}, std::plus<>{});
    std::int64_t left = 0;
    while (const auto value = stack->try_pop()) left += *value;
    EXPECT_EQ(left, total);
  });
}

/// Of several values that are put at once the first go to those who wait, by messages. While one of
/// these waits for its credit another task puts several, too, and they come behind all of these.
/// put(list, values), take(list, wait); `left(list)`: what is in it, the oldest first.
template <class List, class Put, class Take, class Left>
void expect_together(const Put& put, const Take& take, const Left& left) {
  using Values = std::vector<std::int64_t>;
  static Values taken;  // the cores take turns on one thread
  taken.clear();
  run(test::little_credit(), [=] {
    const Owned<List> owned = List::create();
    const List list = *owned;
    put(list, Values{-1});
    const int home = list.local_size() == 1 ? 0 : 1;
    EXPECT_EQ(take(list, false), -1);
    CompletionEvent takers;
    spawn_on(takers, 1 - home, [=] {
      for (int i = 0; i < 2; ++i) spawn([=] { taken.push_back(*take(list, true)); });
    });
    CompletionEvent putters;
    spawn_on(putters, home, [=] {
      sleep_for(1'000'000);  // by the virtual clock: until both wait
      test::use_up_credit(1 - home);
      spawn([=] { put(list, Values{10, 11, 12, 13}); });
      put(list, Values{0, 1, 2, 3});
    });
    putters.wait();
    takers.wait();
    std::ranges::sort(taken);
    EXPECT_EQ(taken.size(), 2u);
    const Values rest = left(list);
    taken.insert(taken.end(), rest.begin(), rest.end());
    EXPECT_EQ(taken, (Values{0, 1, 2, 3, 10, 11, 12, 13}));
  });
}

TEST(GlobalQueue, KeepsSeveralTogetherWhileSomebodyWaits) {
  expect_together<Queue>(
      [](const Queue& queue, std::span<const std::int64_t> values) { queue.enqueue(values); },
      [](const Queue& queue, bool wait) { return wait ? queue.dequeue() : queue.try_dequeue(); },
      [](const Queue& queue) {
        std::vector<std::int64_t> left(100);
        left.resize(queue.try_dequeue(left));
        return left;
      });
}

TEST(GlobalStack, KeepsSeveralTogetherWhileSomebodyWaits) {
  expect_together<Stack>(
      [](const Stack& stack, std::span<const std::int64_t> values) { stack.push(values); },
      [](const Stack& stack, bool wait) { return wait ? stack.pop() : stack.try_pop(); },
      [](const Stack& stack) {
        std::vector<std::int64_t> left(100);
        left.resize(stack.try_pop(left));
        std::ranges::reverse(left);
        return left;
      });
}

TEST(GlobalStack, RefusesWhatCannotBe) {
  test::on_machines_either_way([] {
    Stack never;
    EXPECT_THROW(never.push(1), UsageError);
    Stack stack = Stack::create();
    stack.push(1);
    stack.close();
    on_all_cores([stack] {
      EXPECT_THROW(
          {
            try {
              stack.push(2);
            } catch (const RemoteError& error) {
              throw UsageError(error.message());
            }
          },
          UsageError);
    });
    EXPECT_EQ(stack.pop(), 1);
    EXPECT_EQ(stack.pop(), std::nullopt);
    const Stack copy = stack;
    stack.destroy();
    EXPECT_THROW(copy.size(), UsageError);
  });
}

// A push that nobody waits for, and that meets a pop before it travels, has an end, too.
TEST(GlobalStack, EndsAnAsynchronousPushThatMeetsAPop) {
  test::on_machines_either_way([] {
    const Owned<Stack> stack = Stack::create();
    on_all_cores([stack = *stack] {
      CompletionEvent done;
      for (std::int64_t i = 0; i < 10; ++i) {
        stack.async_push(done, i);
        while (!stack.try_pop()) yield();
      }
      done.wait();
    });
    EXPECT_EQ(stack->size(), 0);
  });
}

/// How many messages the core runs because of f(), and because it is asked for the number.
template <class F>
std::uint64_t messages_run_at(int core, const F& f) {
  const auto count = [core] {
    return delegate::call(
        core, [] { return internal::kMessagesRun.value_in(*internal::here().metrics); });
  };
  const std::uint64_t before = count();
  f();
  return count() - before;
}

TEST(GlobalStack, SendsNothingOfPushesThatMeetPops) {
  for (const bool combining : {true, false}) {
    Config config = test::deterministic(2);
    config.combining = combining;
    config.scan_payloads = false;  // the closures refer to this test
    run(config, [combining] {
      const Owned<Stack> stack = Stack::create();
      stack->push(1);
      const int home = stack->local_size() == 1 ? 0 : 1;
      const auto at_home_of = [home](const auto& f) { return messages_run_at(home, f); };
      CompletionEvent away;
      spawn_on(away, 1 - home, [&] {
        const std::uint64_t nothing = at_home_of([] {});
        const std::uint64_t met = at_home_of([&] {
          for (std::int64_t i = 0; i < 100; ++i) {
            CompletionEvent done;
            spawn(done, [&] { stack->push(i); });
            spawn(done, [&] { stack->pop(); });
            stack->async_push(done, i);
            EXPECT_TRUE(stack->try_pop() == i || !combining);
            done.wait();
          }
        });
        const std::uint64_t alone = at_home_of([&] { stack->push(2); });
        if (combining) {
          EXPECT_EQ(met, nothing);
        } else {
          EXPECT_GE(met, nothing + 400);
        }
        EXPECT_GT(alone, nothing);
      });
      away.wait();
    });
  }
}

// An error of a push that nobody waits for comes out of its event.
TEST(GlobalStack, ReportsAnAsynchronousPushToAClosedOne) {
  test::on_machines_either_way([] {
    const Owned<Stack> stack = Stack::create();
    stack->close();
    EXPECT_THROW(on_all_cores([stack = *stack] { stack.async_push(1); }), RemoteError);
  });
}

}  // namespace
}  // namespace grappa
