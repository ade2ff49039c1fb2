// Full/empty words of all forms, used by tasks of their own core and from other cores.

#include "grappa/sync/full_empty.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "grappa/grappa.hpp"
#include "grappa/parallel/test_machines.hpp"

namespace grappa {
namespace {

// What the tests put into words: numbers, or addresses of as many int64_t, which nobody touches.

using Pointer = internal::AlignedAddress<std::int64_t*>;
using Address = internal::AlignedAddress<GlobalAddress<std::int64_t>>;

template <class T>
T value(std::int64_t i) {
  if constexpr (std::is_same_v<T, Pointer>) {
    return reinterpret_cast<std::int64_t*>(i * 8);
  } else if constexpr (std::is_same_v<T, Address>) {
    // With bits at the top.
    return GlobalAddress<std::int64_t>::placed(0xffff, static_cast<std::uint64_t>(i) * 8);
  } else {
    return i;
  }
}

std::int64_t number(std::int64_t i) { return i; }
std::int64_t number(Pointer pointer) { return static_cast<std::int64_t>(pointer.bits() / 8); }
std::int64_t number(Address address) {
  return static_cast<std::int64_t>(address.place().local.bits / 8);
}
template <class T>
std::optional<std::int64_t> number(const std::optional<T>& value) {
  return value ? std::optional(number(*value)) : std::nullopt;
}

struct Names {
  template <class T>
  static std::string GetName(int) {
    if (std::is_same_v<T, Pointer>) return "Pointer";
    return std::is_same_v<T, Address> ? "Address" : "Value";
  }
};
using Forms = testing::Types<std::int64_t, Pointer, Address>;

template <class T>
class FullEmptyWord : public testing::Test {};
TYPED_TEST_SUITE(FullEmptyWord, Forms, Names);

template <class T>
class FullEmptyWordDeathTest : public testing::Test {};
TYPED_TEST_SUITE(FullEmptyWordDeathTest, Forms, Names);

template <class T>
class RemoteFullEmptyWord : public testing::Test {};
TYPED_TEST_SUITE(RemoteFullEmptyWord, Forms, Names);

/// A run on one core whose order of tasks is first in, first out.
Config in_order() {
  Config config = test::deterministic(1, 1, 1);
  config.shuffle = false;
  return config;
}

template <class F>
void run_everywhere(F body) {
  for (const Config& config : test::all_shapes()) {
    SCOPED_TRACE(test::describe(config));
    run(config, body);
  }
}

void yield_often() {
  for (int i = 0; i < 20; ++i) yield();
}

// ---- at its own core

TEST(FullEmpty, TakesAWordBesideItsValueAndNoneForAnAddress) {
  EXPECT_EQ(sizeof(FullEmpty<std::int64_t>), 16u);
  EXPECT_EQ(sizeof(FullEmptyPointer<std::int64_t>), 8u);
  EXPECT_EQ(sizeof(FullEmptyAddress<std::int64_t>), 8u);
}

TYPED_TEST(FullEmptyWord, IsEmptyAtFirstUnlessMadeWithAValue) {
  run(in_order(), [] {
    const FullEmpty<TypeParam> empty;
    EXPECT_FALSE(empty.full());
    FullEmpty<TypeParam> full(value<TypeParam>(7));
    EXPECT_TRUE(full.full());
    EXPECT_EQ(number(full.read_fe()), 7);
    EXPECT_FALSE(full.full());
  });
}

TYPED_TEST(FullEmptyWord, OperationsLeaveTheStateTheyName) {
  run(in_order(), [] {
    FullEmpty<TypeParam> word;
    word.write_ef(value<TypeParam>(1));
    EXPECT_TRUE(word.full());
    EXPECT_EQ(number(word.read_ff()), 1);
    EXPECT_TRUE(word.full());
    word.write_ff(value<TypeParam>(2));
    EXPECT_TRUE(word.full());
    EXPECT_EQ(number(word.read_fe()), 2);
    EXPECT_FALSE(word.full());
    word.write_xf(value<TypeParam>(3));
    EXPECT_TRUE(word.full());
    word.write_xf(value<TypeParam>(4));
    EXPECT_EQ(number(word.read_ff()), 4);
    word.reset();
    EXPECT_FALSE(word.full());
    word.reset();
    EXPECT_FALSE(word.full());
  });
}

TYPED_TEST(FullEmptyWord, TryFormsNeverWait) {
  run(in_order(), [] {
    FullEmpty<TypeParam> word;
    EXPECT_EQ(number(word.try_read_fe()), std::nullopt);
    EXPECT_EQ(number(word.try_read_ff()), std::nullopt);
    EXPECT_FALSE(word.try_write_ff(value<TypeParam>(1)));
    EXPECT_FALSE(word.full());
    EXPECT_TRUE(word.try_write_ef(value<TypeParam>(2)));
    EXPECT_FALSE(word.try_write_ef(value<TypeParam>(3)));
    EXPECT_EQ(number(word.try_read_ff()), 2);
    EXPECT_TRUE(word.try_write_ff(value<TypeParam>(4)));
    EXPECT_EQ(number(word.try_read_fe()), 4);
    EXPECT_FALSE(word.full());
  });
}

TYPED_TEST(FullEmptyWord, ReadersWaitForAValue) {
  run(in_order(), [] {
    FullEmpty<TypeParam> word;
    std::vector<std::string> log;
    CompletionEvent done;
    const auto note = [&](const char* who, std::int64_t value) {
      log.push_back(who + std::to_string(value));
    };
    spawn(done, [&] { note("ff", number(word.read_ff())); });
    spawn(done, [&] { note("fe", number(word.read_fe())); });
    spawn(done, [&] { note("late ff", number(word.read_ff())); });
    spawn(done, [&] { note("late fe", number(word.read_fe())); });
    yield_often();
    EXPECT_TRUE(log.empty());
    // In order of arrival: the first two share a value, the others are behind the one that took it.
    word.write_ef(value<TypeParam>(1));
    EXPECT_FALSE(word.full());
    yield_often();
    EXPECT_EQ(log, (std::vector<std::string>{"ff1", "fe1"}));
    word.write_xf(value<TypeParam>(2));
    done.wait();
    EXPECT_EQ(log, (std::vector<std::string>{"ff1", "fe1", "late ff2", "late fe2"}));
    EXPECT_FALSE(word.full());
  });
}

TYPED_TEST(FullEmptyWord, WritersWaitForAnEmptyWord) {
  run(in_order(), [] {
    FullEmpty<TypeParam> word(value<TypeParam>(0));
    CompletionEvent done;
    for (std::int64_t i = 1; i <= 5; ++i)
      spawn(done, [&word, i] { word.write_ef(value<TypeParam>(i)); });
    yield_often();
    EXPECT_EQ(number(word.read_ff()), 0);
    for (std::int64_t i = 0; i <= 5; ++i) {
      // The next writer has written before anybody else could: nobody slips in.
      EXPECT_EQ(number(word.try_read_fe()), i);
      EXPECT_EQ(word.full(), i < 5);
      EXPECT_EQ(word.try_write_ef(value<TypeParam>(99)), i == 5);
    }
    done.wait();
    EXPECT_EQ(number(word.read_fe()), 99);
  });
}

TYPED_TEST(FullEmptyWord, WriteXfLeavesWaitingWritersAlone) {
  run(in_order(), [] {
    FullEmpty<TypeParam> word(value<TypeParam>(1));
    CompletionEvent done;
    spawn(done, [&] { word.write_ef(value<TypeParam>(2)); });
    yield_often();
    word.write_xf(value<TypeParam>(3));
    yield_often();
    EXPECT_EQ(number(word.read_fe()), 3);
    EXPECT_EQ(number(word.read_fe()), 2);
    done.wait();
  });
}

TYPED_TEST(FullEmptyWord, ResetLetsAWriterIn) {
  run(in_order(), [] {
    FullEmpty<TypeParam> word(value<TypeParam>(1));
    CompletionEvent done;
    spawn(done, [&] { word.write_ef(value<TypeParam>(2)); });
    yield_often();
    word.reset();
    EXPECT_TRUE(word.full());
    EXPECT_EQ(number(word.read_fe()), 2);
    done.wait();
  });
}

TYPED_TEST(FullEmptyWord, WriteFfWaitsForAValueAndReplacesIt) {
  run(in_order(), [] {
    FullEmpty<TypeParam> word;
    std::int64_t seen = 0;
    CompletionEvent done;
    spawn(done, [&] { word.write_ff(value<TypeParam>(2)); });
    spawn(done, [&] { seen = number(word.read_fe()); });
    yield_often();
    word.write_ef(value<TypeParam>(1));
    done.wait();
    EXPECT_EQ(seen, 2);
  });
}

TEST(FullEmpty, HoldsWhatCanOnlyBeMoved) {
  run(in_order(), [] {
    FullEmpty<std::unique_ptr<int>> word;
    std::unique_ptr<int> taken;
    CompletionEvent done;
    spawn(done, [&] { taken = word.read_fe(); });
    yield_often();
    word.write_ef(std::make_unique<int>(5));
    done.wait();
    ASSERT_NE(taken, nullptr);
    EXPECT_EQ(*taken, 5);
    FullEmpty<std::string> text(std::string(100, 'x'));
    EXPECT_EQ(text.read_ff(), std::string(100, 'x'));
    EXPECT_EQ(text.read_fe(), std::string(100, 'x'));
  });
}

/// A value that is replaced while ever more and fewer tasks wait for the word to be empty.
TYPED_TEST(FullEmptyWord, KeepsItsValueWhileWritersWait) {
  run(in_order(), [] {
    FullEmpty<TypeParam> word(value<TypeParam>(10));
    CompletionEvent done;
    for (std::int64_t i = 1; i <= 4; ++i) {
      spawn(done, [&word, i] { word.write_ef(value<TypeParam>(i)); });
      yield_often();
      EXPECT_EQ(number(word.read_ff()), i == 1 ? 10 : 19 + i);
      word.write_ff(value<TypeParam>(20 + i));
      EXPECT_EQ(number(word.try_read_ff()), 20 + i);
    }
    EXPECT_EQ(number(word.read_fe()), 24);
    for (std::int64_t i = 1; i <= 4; ++i) {
      EXPECT_EQ(number(word.read_ff()), i);
      word.write_xf(value<TypeParam>(30 + i));
      EXPECT_EQ(number(word.read_fe()), 30 + i);
    }
    EXPECT_FALSE(word.full());
    done.wait();
  });
}

/// Several producers and consumers on one word: every value arrives once.
TYPED_TEST(FullEmptyWord, LosesAndDoublesNothing) {
  for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
    SCOPED_TRACE(seed);
    run(test::deterministic(1, 1, seed), [] {
      constexpr int kValues = 600;
      FullEmpty<TypeParam> word;
      std::vector<int> received(kValues);
      CompletionEvent done;
      for (int p = 0; p < 6; ++p) {
        spawn(done, [&, p] {
          for (int i = p; i < kValues; i += 6) {
            word.write_ef(value<TypeParam>(i));
            if (i % 5 == 0) yield();
          }
        });
      }
      for (int c = 0; c < 4; ++c) {
        spawn(done, [&] {
          for (int i = 0; i < kValues / 4; ++i)
            ++received[static_cast<std::size_t>(number(word.read_fe()))];
        });
      }
      done.wait();
      EXPECT_EQ(received, std::vector<int>(kValues, 1));
      EXPECT_FALSE(word.full());
    });
  }
}

TYPED_TEST(FullEmptyWord, RefusesOtherCores) {
  run(test::deterministic(1, 2, 1), [] {
    static FullEmpty<TypeParam>* shared = nullptr;
    FullEmpty<TypeParam> word;
    shared = &word;
    delegate::call(1, [] {
      EXPECT_THROW((void)shared->try_read_fe(), UsageError);
      EXPECT_THROW((void)shared->try_write_ef(value<TypeParam>(1)), UsageError);
      EXPECT_THROW(shared->write_xf(value<TypeParam>(1)), UsageError);
      EXPECT_THROW(shared->reset(), UsageError);
    });
    spawn_on(1, [] { EXPECT_THROW((void)shared->read_fe(), UsageError); });
    // The same by an address that names the wrong core.
    const auto wrong = GlobalAddress<FullEmpty<TypeParam>>::at(1, &word);
    EXPECT_THROW((void)delegate::read_ff(wrong), RemoteError);
    EXPECT_THROW(delegate::write_xf(wrong, value<TypeParam>(1)), RemoteError);
  });
}

TYPED_TEST(FullEmptyWordDeathTest, ADelegateMustNotWait) {
  EXPECT_DEATH(run(test::deterministic(1, 2, 1),
                   [] {
                     const auto words = symmetric_alloc<FullEmpty<TypeParam>>();
                     delegate::call(1, [words] { return words->read_fe(); });
                   }),
               "delegate would suspend \\(a full word\\)");
}

TYPED_TEST(FullEmptyWordDeathTest, WaitingForeverIsADeadlockWithAName) {
  EXPECT_DEATH(run(in_order(),
                   [] {
                     FullEmpty<TypeParam> word;
                     word.read_fe();
                   }),
               "waits for a full word");
  EXPECT_DEATH(run(in_order(),
                   [] {
                     FullEmpty<TypeParam> word(value<TypeParam>(1));
                     word.write_ef(value<TypeParam>(2));
                   }),
               "waits for an empty word");
  EXPECT_DEATH(run(test::cluster(2, 1),
                   [] {
                     const auto words = symmetric_alloc<FullEmpty<TypeParam>>();
                     delegate::read_fe(words.on(1));
                   }),
               "waits for a full word");
}

TYPED_TEST(FullEmptyWordDeathTest, IsNotDestroyedUnderATask) {
  EXPECT_DEATH(run(in_order(),
                   [] {
                     auto word = std::make_unique<FullEmpty<TypeParam>>();
                     CompletionEvent done;
                     spawn(done, [&] { word->read_fe(); });
                     yield_often();
                     word.reset();
                   }),
               "destroyed while somebody waits");
}

// ---- addresses

struct Node {
  std::int64_t key = 0;
  FullEmptyPointer<Node> next;  // Node is not yet complete
};

TEST(FullEmptyPointer, LinksAListThatGrowsWhileItIsRead) {
  run(in_order(), [] {
    constexpr std::int64_t kNodes = 100;
    std::vector<Node> nodes(kNodes);
    std::int64_t sum = 0;
    CompletionEvent done;
    spawn(done, [&] {
      for (Node* node = &nodes.front(); node != nullptr; node = node->next.read_ff())
        sum += node->key;
    });
    for (std::size_t i = 0; i < kNodes; ++i) {
      nodes[i].key = static_cast<std::int64_t>(i);
      if (i > 0) nodes[i - 1].next.write_ef(&nodes[i]);
      if (i % 3 == 0) yield();
    }
    nodes.back().next.write_ef(nullptr);
    done.wait();
    EXPECT_EQ(sum, kNodes * (kNodes - 1) / 2);
    EXPECT_EQ(nodes.front().next.read_fe()->key, 1);
  });
}

TEST(FullEmptyPointer, ANullPointerIsAValue) {
  run(in_order(), [] {
    FullEmptyPointer<Node> pointer(nullptr);
    EXPECT_TRUE(pointer.full());
    EXPECT_EQ(pointer.read_fe(), nullptr);
    FullEmptyAddress<Node> address;
    address.write_ef(nullptr);
    EXPECT_EQ(address.read_fe(), nullptr);
    EXPECT_FALSE(address.full());
  });
}

TEST(FullEmptyPointer, RefusesAddressesThatUseItsBits) {
  const auto pointer_of = [](std::uint64_t bits) { return reinterpret_cast<std::int64_t*>(bits); };
  for (const std::uint64_t bits : {1, 2, 7}) {
    EXPECT_THROW(Pointer{pointer_of(bits)}, UsageError);
    EXPECT_THROW(Address{GlobalAddress<std::int64_t>::from_raw(bits)}, UsageError);
  }
  EXPECT_THROW(Pointer{pointer_of(std::uint64_t{1} << 48)}, UsageError);
  const std::uint64_t largest = (std::uint64_t{1} << 48) - 4;
  EXPECT_EQ(Pointer{pointer_of(largest)}, pointer_of(largest));
}

TEST(FullEmptyPointer, HoldsEveryFormOfAddress) {
  run(test::deterministic(2, 2, 1), [] {
    const auto heap = global_alloc<std::int64_t>(100);
    const auto symmetric = symmetric_alloc<std::int64_t>();
    const auto words = global_alloc<FullEmptyAddress<std::int64_t>>(4);
    std::int64_t mine = 0;
    for (const GlobalAddress<std::int64_t> address :
         {heap + 99, symmetric.on(3), GlobalAddress<std::int64_t>::of_local(&mine)}) {
      for (int w = 0; w < 4; ++w) {
        delegate::write_ef(words + w, address);
        delegate::increment(delegate::read_ff(words + w));
        EXPECT_EQ(delegate::read_fe(words + w), address);
      }
      EXPECT_EQ(delegate::read(address), 4);
    }
    global_free(words);
    symmetric_free(symmetric);
    global_free(heap);
  });
}

TEST(FullEmptyPointer, KnowsItsOwnerWhenItIsFull) {
  run(test::deterministic(1, 2, 1), [] {
    static FullEmptyPointer<std::int64_t>* pointer = nullptr;
    static FullEmptyAddress<std::int64_t>* address = nullptr;
    FullEmptyPointer<std::int64_t> my_pointer(nullptr);
    FullEmptyAddress<std::int64_t> my_address(nullptr);
    pointer = &my_pointer;
    address = &my_address;
    delegate::call(1, [] { EXPECT_THROW((void)pointer->try_read_ff(), UsageError); });
    // Has no room for it, unless somebody waits.
    CompletionEvent done;
    spawn(done, [&] { my_address.write_ef(nullptr); });
    yield_often();
    delegate::call(1, [] { EXPECT_THROW((void)address->try_read_ff(), UsageError); });
    (void)my_address.read_fe();
    done.wait();
  });
}

// ---- from other cores

TYPED_TEST(RemoteFullEmptyWord, OperationsWorkFromEverywhere) {
  run_everywhere([] {
    const auto words = global_alloc<FullEmpty<TypeParam>>(100);
    // The words lie side by side in blocks on all cores; everybody uses all of them.
    for (int i = 0; i < 100; ++i) {
      delegate::write_ef(words + i, value<TypeParam>(i));
      EXPECT_EQ(number(delegate::read_ff(words + i)), i);
      delegate::write_ff(words + i, value<TypeParam>(i + 1));
      EXPECT_EQ(number(delegate::read_fe(words + i)), i + 1);
      delegate::write_xf(words + i, value<TypeParam>(i + 2));
      delegate::reset(words + i);
      delegate::async::write_xf(words + i, value<TypeParam>(i + 3));
      EXPECT_EQ(number(delegate::read_fe(words + i)), i + 3);
    }
    forall(words, 100, [](FullEmpty<TypeParam>& word) { EXPECT_FALSE(word.full()); });
    global_free(words);
  });
}

/// Each word is the sum of the two before it, computed by tasks that are started last word first.
TYPED_TEST(RemoteFullEmptyWord, CarryADataflowComputation) {
  run_everywhere([] {
    constexpr std::int64_t kWords = 80;
    constexpr std::int64_t kModulus = 1'000'000'007;  // addresses have fewer bits
    const auto words = global_alloc<FullEmpty<TypeParam>>(kWords);
    CompletionEvent done;
    for (std::int64_t i = kWords - 1; i >= 2; --i) {
      spawn_on(done, static_cast<int>(i) % core_count(), [words, i] {
        const std::int64_t sum =
            number(delegate::read_ff(words + (i - 1))) + number(delegate::read_ff(words + (i - 2)));
        delegate::write_ef(words + i, value<TypeParam>(sum % kModulus));
      });
    }
    delegate::write_ef(words, value<TypeParam>(0));
    delegate::write_ef(words + 1, value<TypeParam>(1));
    done.wait();
    EXPECT_EQ(number(delegate::read_ff(words + (kWords - 1))), 923369890);
    global_free(words);
  });
}

/// A word as a lock around its own value.
TYPED_TEST(RemoteFullEmptyWord, IsALockAroundItsValue) {
  run_everywhere([] {
    const auto words = global_alloc<FullEmpty<TypeParam>>(3);
    for (int w = 0; w < 3; ++w) delegate::write_ef(words + w, value<TypeParam>(0));
    constexpr std::int64_t kEach = test::tasks(300);
    forall(0, 3 * kEach, [=](std::int64_t i) {
      const auto word = words + i % 3;
      const std::int64_t count = number(delegate::read_fe(word));
      yield();
      delegate::write_ef(word, value<TypeParam>(count + 1));
    });
    for (int w = 0; w < 3; ++w) EXPECT_EQ(number(delegate::read_fe(words + w)), kEach);
    global_free(words);
  });
}

/// As many readers as values, from all cores, before any value comes.
TYPED_TEST(RemoteFullEmptyWord, QueuesReadersBeforeWriters) {
  run_everywhere([] {
    constexpr std::int64_t kEach = test::tasks(200);
    const auto word = global_alloc<FullEmpty<TypeParam>>(1);
    auto sums = symmetric_alloc<std::int64_t>();
    on_all_cores([=] {
      CompletionEvent readers;
      for (std::int64_t i = 0; i < kEach; ++i) {
        spawn(readers, [=] { *sums.pointer() += number(delegate::read_fe(word)); });
      }
      for (std::int64_t i = 0; i < kEach; ++i) {
        spawn(readers, [=] { delegate::write_ef(word, value<TypeParam>(i)); });
      }
      readers.wait();
    });
    const std::int64_t sum =
        reduce_cores([=] { return sums.local(); }, std::int64_t{0}, std::plus<>{});
    EXPECT_EQ(sum, core_count() * kEach * (kEach - 1) / 2);
    EXPECT_FALSE(delegate::call(word, [](FullEmpty<TypeParam>& w) { return w.full(); }));
    symmetric_free(sums);
    global_free(word);
  });
}

/// Requests of one task to one word take effect in the order in which they were made.
TYPED_TEST(RemoteFullEmptyWord, KeepsTheOrderOfArrival) {
  Config config = test::deterministic(2, 1, 1);
  config.simulation.reorder = 0;
  config.shuffle = false;
  run(config, [] {
    const auto words = symmetric_alloc<FullEmpty<TypeParam>>();
    const auto word = words.on(1);
    std::vector<std::int64_t> order;
    CompletionEvent done;
    for (int t = 0; t < 20; ++t) {
      spawn(done, [&order, word, t] {
        delegate::read_fe(word);
        order.push_back(t);
      });
    }
    sleep_for(10'000'000);
    for (int t = 0; t < 20; ++t) delegate::write_ef(word, value<TypeParam>(t));
    done.wait();
    for (int t = 0; t < 20; ++t) EXPECT_EQ(order[static_cast<std::size_t>(t)], t);
    symmetric_free(words);
  });
}

/// Structs travel as well as integers.
TEST(RemoteFullEmpty, HoldsStructs) {
  struct Point {
    double x = 0;
    double y = 0;
    std::int32_t color = 0;
  };
  run_everywhere([] {
    const auto words = global_alloc<FullEmpty<Point>>(10);
    forall(0, 10, [=](std::int64_t i) {
      delegate::write_ef(words + i, {1.5, static_cast<double>(i), static_cast<std::int32_t>(i)});
    });
    for (int i = 0; i < 10; ++i) {
      const Point p = delegate::read_fe(words + i);
      EXPECT_EQ(p.x, 1.5);
      EXPECT_EQ(p.y, i);
      EXPECT_EQ(p.color, i);
    }
    global_free(words);
  });
}

}  // namespace
}  // namespace grappa
