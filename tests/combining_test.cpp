// Containers are linearizable, where requests combine or not, on one locale and on
// several whose network reorders: every history of operations on an object has an order that agrees
// with real time and with what each operation returned (linearizability.hpp).

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "grappa/grappa.hpp"
#include "grappa/parallel/test_machines.hpp"
#include "linearizability.hpp"

namespace grappa {
namespace {

constexpr std::int64_t kNothing = -1;

/// One operation on any of the containers: a pair of numbers in, one out.
struct Operation {
  int kind = 0;
  std::int64_t argument = 0;
  std::int64_t result = kNothing;
  std::uint64_t called = 0;
  std::uint64_t returned = 0;
};

using Values = std::vector<std::int64_t>;

std::uint64_t next_random(std::uint64_t& state) {
  state = state * 6364136223846793005ull + 1442695040888963407ull;
  return state >> 33;
}

constexpr int kObjects = 6;
constexpr int kTasks = 8;  // an object
constexpr int kOperationsPerTask = 4;

/// What an object is to the test: `Handle` with create and destroy, perform(handle, operation), and
/// the same of the plain object.
template <class Kind>
std::vector<std::vector<Operation>> random_histories(std::uint64_t seed) {
  std::vector<typename Kind::Handle> objects;
  for (int i = 0; i < kObjects; ++i) objects.push_back(Kind::Handle::create());
  std::vector<std::vector<Operation>> histories(
      kObjects, std::vector<Operation>(kTasks * kOperationsPerTask));
  std::atomic<std::uint64_t> clock{1};
  auto* time = &clock;
  CompletionEvent all;
  for (int t = 0; t < kObjects * kTasks; ++t) {
    const int number = t % kObjects;
    // Several tasks of each object on one core, so that their requests meet.
    const int core = (t / kObjects / 3 + number) % core_count();
    spawn_on(all, core,
             [object = objects[static_cast<std::size_t>(number)], time, t, seed,
              mine = histories[static_cast<std::size_t>(number)].data() +
                     t / kObjects * kOperationsPerTask] {
               std::uint64_t random = seed * 1'000'003 + static_cast<std::uint64_t>(t);
               for (int k = 0; k < kOperationsPerTask; ++k) {
                 Operation& op = mine[k];
                 op.kind = static_cast<int>(next_random(random) % Kind::kKinds);
                 op.argument = t * kOperationsPerTask + k + 1;
                 op.called = time->fetch_add(1);
                 Kind::perform(object, op);
                 op.returned = time->fetch_add(1);
               }
             });
  }
  all.wait();
  for (auto& object : objects) object.destroy();
  return histories;
}

struct Stack {
  using Handle = GlobalStack<std::int64_t>;
  static constexpr int kKinds = 2;
  static void perform(const Handle& stack, Operation& op) {
    if (op.kind == 0) {
      stack.push(op.argument);
    } else {
      op.result = stack.try_pop().value_or(kNothing);
    }
  }
  static bool apply(const Operation& op, Values& values) {
    if (op.kind == 0) {
      values.push_back(op.argument);
      return true;
    }
    if (values.empty()) return op.result == kNothing;
    const std::int64_t top = values.back();
    values.pop_back();
    return op.result == top;
  }
};

struct Queue {
  using Handle = GlobalQueue<std::int64_t>;
  static constexpr int kKinds = 2;
  static void perform(const Handle& queue, Operation& op) {
    if (op.kind == 0) {
      queue.enqueue(op.argument);
    } else {
      op.result = queue.try_dequeue().value_or(kNothing);
    }
  }
  static bool apply(const Operation& op, Values& values) {
    if (op.kind == 0) {
      values.push_back(op.argument);
      return true;
    }
    if (values.empty()) return op.result == kNothing;
    const std::int64_t first = values.front();
    values.erase(values.begin());
    return op.result == first;
  }
};

struct Counter {
  using Handle = GlobalCounter;
  static constexpr int kKinds = 3;
  static void perform(const Handle& counter, Operation& op) {
    switch (op.kind) {
      case 0:
        op.result = counter.fetch_add(op.argument);
        break;
      case 1:
        op.result = counter.value();
        break;
      default:
        op.result = counter.exchange(op.argument);
    }
  }
  static bool apply(const Operation& op, Values& values) {
    if (values.empty()) values.push_back(0);
    const bool possible = op.result == values[0];
    if (op.kind == 0) values[0] += op.argument;
    if (op.kind == 2) values[0] = op.argument;
    return possible;
  }
};

struct Vector {
  using Handle = GlobalVector<std::int64_t>;
  static constexpr int kKinds = 4;
  static void perform(const Handle& vector, Operation& op) {
    switch (op.kind) {
      case 0:
        op.result = vector.push(op.argument);
        break;
      case 1:
        op.result = vector.pop().value_or(kNothing);
        break;
      case 2:
        op.result = vector.size();
        break;
      default:
        op.result = vector.append(Values{op.argument, op.argument});
    }
  }
  static bool apply(const Operation& op, Values& values) {
    const std::int64_t size = std::ssize(values);
    switch (op.kind) {
      case 0:
        values.push_back(op.argument);
        return op.result == size;
      case 1: {
        if (values.empty()) return op.result == kNothing;
        const std::int64_t last = values.back();
        values.pop_back();
        return op.result == last;
      }
      case 2:
        return op.result == size;
      default:
        values.insert(values.end(), 2, op.argument);
        return op.result == size;
    }
  }
};

/// Keys are 0 and 1.
struct Map {
  using Handle = GlobalHashMap<std::int64_t, std::int64_t>;
  static constexpr int kKinds = 8;
  static void perform(const Handle& map, Operation& op) {
    const std::int64_t key = op.argument % 2;
    const auto add = [n = op.argument](std::int64_t& value) { return value += n; };
    switch (op.kind) {
      case 0:
        op.result = map.insert(key, op.argument) ? 1 : 0;
        break;
      case 1:
        op.result = map.insert_or_assign(key, op.argument) ? 1 : 0;
        break;
      case 2:
        op.result = map.erase(key) ? 1 : 0;
        break;
      case 3:
        op.result = map.upsert(key, op.argument, std::plus<>());
        break;
      case 4:
        op.result = map.visit(key, add) ? 1 : 0;
        break;
      case 5:
        op.result = map.visit_or_insert(key, 0, add);
        break;
      default:
        op.result = map.find(key).value_or(kNothing);
    }
  }
  static bool apply(const Operation& op, Values& values) {
    values.resize(2, kNothing);
    std::int64_t& value = values[static_cast<std::size_t>(op.argument % 2)];
    const bool there = value != kNothing;
    switch (op.kind) {
      case 0:
        if (!there) value = op.argument;
        return op.result == (there ? 0 : 1);
      case 1:
        value = op.argument;
        return op.result == (there ? 0 : 1);
      case 2:
        value = kNothing;
        return op.result == (there ? 1 : 0);
      case 4:
        if (there) value += op.argument;
        return op.result == (there ? 1 : 0);
      case 3:
      case 5:
        value = (there ? value : 0) + op.argument;
        return op.result == value;
      default:
        return op.result == value;
    }
  }
};

struct Counts {
  using Handle = CountingMap<std::int64_t>;
  static constexpr int kKinds = 3;
  static void perform(const Handle& counts, Operation& op) {
    const std::int64_t key = op.argument % 2;
    switch (op.kind) {
      case 0:
        op.result = counts.add(key, op.argument);
        break;
      case 1:
        op.result = counts.count(key);
        break;
      default:
        op.result = counts.erase(key) ? 1 : 0;
    }
  }
  static bool apply(const Operation& op, Values& values) {
    values.resize(2);  // 0: it is not there
    std::int64_t& value = values[static_cast<std::size_t>(op.argument % 2)];
    switch (op.kind) {
      case 0:
        return op.result == (value += op.argument);
      case 1:
        return op.result == value;
      default:
        return op.result == (std::exchange(value, 0) != 0 ? 1 : 0);
    }
  }
};

/// Values of one key, of which each operation sees the number.
struct Groups {
  using Handle = GlobalMultiMap<std::int64_t, std::int64_t>;
  static constexpr int kKinds = 5;
  static void perform(const Handle& map, Operation& op) {
    switch (op.kind) {
      case 0:
        op.result = map.insert(7, op.argument);
        break;
      case 1:
        op.result = map.count(7);
        break;
      case 2:
        op.result = map.erase(7);
        break;
      case 3: {
        const Values values = map.find(7);
        op.result = values.empty() ? kNothing : values.back();
        break;
      }
      default:
        op.result = map.visit_group(7, [](Values& values) { values.pop_back(); }) ? 1 : 0;
    }
  }
  static bool apply(const Operation& op, Values& values) {
    const std::int64_t size = std::ssize(values);
    switch (op.kind) {
      case 0:
        values.push_back(op.argument);
        return op.result == size + 1;
      case 1:
        return op.result == size;
      case 2:
        values.clear();
        return op.result == size;
      case 3:
        return op.result == (size == 0 ? kNothing : values.back());
      default:
        if (size > 0) values.pop_back();
        return op.result == (size > 0 ? 1 : 0);
    }
  }
};

template <class Kind>
class Combining : public testing::Test {};
using Kinds = testing::Types<Stack, Queue, Counter, Vector, Map, Counts, Groups>;
TYPED_TEST_SUITE(Combining, Kinds);

TYPED_TEST(Combining, IsLinearizable) {
  for (const bool combining : {true, false}) {
    for (const int locales : {1, 2, 8}) {
      for (std::uint64_t seed = 1; seed <= 12; ++seed) {
        Config config = test::deterministic(locales, 2, seed);
        config.combining = combining;
        config.scan_payloads = false;  // the history is kept in the memory of the test
        SCOPED_TRACE(fmt::format("{} locales, combining {}, seed {}", locales, combining, seed));
        run(config, [seed] {
          for (const auto& history : random_histories<TypeParam>(seed))
            EXPECT_TRUE(test::linearizable(history, Values{}, TypeParam::apply));
        });
      }
    }
  }
}

TYPED_TEST(Combining, IsLinearizableOnThreads) {
  Config config = test::threads(2);
  config.scan_payloads = false;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    run(config, [seed] {
      for (const auto& history : random_histories<TypeParam>(seed))
        EXPECT_TRUE(test::linearizable(history, Values{}, TypeParam::apply)) << seed;
    });
  }
}

// The checker can say no to what these objects might do wrong.
TEST(CombiningChecker, RejectsAStackThatForgetsAndAQueueThatReorders) {
  const std::vector<Operation> forgets = {{0, 1, kNothing, 1, 2}, {1, 0, kNothing, 3, 4}};
  EXPECT_FALSE(test::linearizable(forgets, Values{}, Stack::apply));
  const std::vector<Operation> reorders = {
      {0, 1, kNothing, 1, 2}, {0, 2, kNothing, 3, 4}, {1, 0, 2, 5, 6}};
  EXPECT_FALSE(test::linearizable(reorders, Values{}, Queue::apply));
  EXPECT_TRUE(test::linearizable(reorders, Values{}, Stack::apply));
}

}  // namespace
}  // namespace grappa
