// What broke in the original Grappa, as promises of this one: wrong results without a word, and
// measurements of nothing. Hangs and crashes are in original_hangs_test.cpp. Each fault has a short
// test here, also where a layer's own tests go deeper.
//
// Wrong results
//   elements of 24 or 72 bytes that cross a block     SilentFaults.ElementsThatWouldCrossABlock
//   minimum and maximum reducers that start at T()    SilentFaults.ReductionsThatWouldStartAtZero
//   dereferencing a remote 2D pointer                 SilentFaults.ARemotePointerIsNotDereferenced
//   a double free                                     SilentFaults.ADoubleFreeIsRefused,
//                                                     .FreeingAnElementIsRefusedOnManyCores
//   a vector grown past its capacity                  SilentFaults.AMapGrowsBeyondWhatWasExpected,
//                                                     .AnIndexBeyondAnArrayIsRefused
//   atomic operations that accept async, ignore it    SilentFaults.WhatIsCalledAsynchronousIs,
//                                                     compile_errors_test.py (there are no others)
//   stubs: trylock                                    SilentFaults.TryLockLocks
//   stubs: condition variables                        SilentFaults.AConditionVariableWaitsAndWakes
//   stubs: prefix_sum                                 SilentFaults.PrefixSumsAdd
// Measurements of nothing
//   a worker that yields to itself                    Measurements.AYieldGoesToAnotherWorker,
//                                                     bench_checks_test.py
//   an empty demo that reports updates a second       bench_checks_test.py
//   a counter that its own reset wipes                Measurements.CountersCountAfterAReset,
//                                                     .EveryRunCountsFromZero
//   a remote read that takes a poll period            Measurements.ARemoteReadWaitsForNoPeriod,
//                                                     .ARemoteReadOfAnIdleCoreFillsNoChunk

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <mutex>
#include <random>
#include <string>
#include <vector>

#include "grappa/grappa.hpp"
#include "grappa/message/metrics.hpp"
#include "grappa/parallel/test_machines.hpp"

namespace grappa {
namespace {

using testing::HasSubstr;

template <class F>
std::string refusal_of(const F& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "not refused";
}

std::uint64_t metric(const std::string& name) {
  for (const MetricValue& value : metrics_snapshot()) {
    if (value.name == name) return value.total;
  }
  ADD_FAILURE() << "there is no metric " << name;
  return 0;
}

// ---- elements that would cross a block

template <std::size_t N>
struct Record {
  std::array<std::uint8_t, N> bytes;
  bool operator==(const Record&) const = default;

  static Record of(std::int64_t i) {
    Record r;
    for (std::size_t b = 0; b < N; ++b) r.bytes[b] = static_cast<std::uint8_t>(i * 7 + b * 13 + 1);
    return r;
  }
};

template <std::size_t N>
void write_and_read_records() {
  SCOPED_TRACE(N);
  static constexpr std::int64_t kCount = 300;
  const auto records = global_alloc<Record<N>>(kCount);
  const auto behind = global_alloc<std::uint64_t>(64);
  // At their homes, …
  forall(records, kCount, [](std::int64_t i, Record<N>& r) { r = Record<N>::of(i); });
  for (std::int64_t i = 0; i < kCount; ++i) {
    ASSERT_EQ(delegate::read(records + i), Record<N>::of(i)) << i;
  }
  // … from outside in any order, …
  forall(0, kCount, [records](std::int64_t i) {
    delegate::async::write(records + (kCount - 1 - i), Record<N>::of(i));
  });
  // … and in bulk.
  std::vector<GlobalAddress<Record<N>>> all;
  for (std::int64_t i = 0; i < kCount; ++i) all.push_back(records + i);
  std::vector<Record<N>> seen(all.size());
  delegate::gather<Record<N>>(all, seen);
  for (std::int64_t i = 0; i < kCount; ++i) {
    ASSERT_EQ(seen[static_cast<std::size_t>(i)], Record<N>::of(kCount - 1 - i)) << i;
  }
  for (std::int64_t i = 0; i < 64; ++i) EXPECT_EQ(delegate::read(behind + i), 0u) << i;
  global_free(behind);
  global_free(records);
}

TEST(SilentFaults, ElementsThatWouldCrossABlock) {
  test::on_machines([] {
    write_and_read_records<24>();
    write_and_read_records<72>();
    write_and_read_records<1000>();
  });
}

// ---- reductions

template <class A, class Op>
concept ReducesWithoutIdentity = requires(A array, Op op) { reduce(array, op); } ||
                                 requires(Op op) { reduce_cores([] { return 1; }, op); };
static_assert(!ReducesWithoutIdentity<GlobalArray<int>, std::plus<>>, "identities are not guessed");

TEST(SilentFaults, ReductionsThatWouldStartAtZero) {
  test::on_machines([] {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const auto least = [](double a, double b) { return std::min(a, b); };
    const auto most = [](double a, double b) { return std::max(a, b); };
    // Few elements: most cores have none.
    for (const std::int64_t n : {1, 5, 1000}) {
      auto array = GlobalArray<double>::create(n);
      array.forall([](std::int64_t i, double& x) { x = 100.5 + static_cast<double>(i); });
      EXPECT_EQ(reduce(array, kInfinity, least), 100.5);
      EXPECT_EQ(reduce(array, -kInfinity, most), 99.5 + static_cast<double>(n));
      array.forall([](double& x) { x = -x; });
      EXPECT_EQ(reduce(array, -kInfinity, most), -100.5);
      EXPECT_EQ(reduce(array, kInfinity, least), -99.5 - static_cast<double>(n));
      array.destroy();
    }
    const auto mine = [] { return -1.5 - this_core(); };
    EXPECT_EQ(reduce_cores(mine, -kInfinity, most), -1.5);
    const auto agreed = gather_cores([=] { return all_reduce(mine(), most); });
    EXPECT_THAT(agreed, testing::Each(-1.5));
  });
}

// ---- pointers of other cores

TEST(SilentFaults, ARemotePointerIsNotDereferenced) {
  test::on_machines([] {
    std::int64_t object = 41;
    const auto address = GlobalAddress<std::int64_t>::of_local(&object);
    ASSERT_TRUE(address.is_2d());
    for (int core = 0; core < core_count(); ++core) {
      const std::string words = delegate::call(core, [address]() -> std::string {
        try {
          *address.pointer() += 1;
        } catch (const UsageError& e) {
          return e.what();
        }
        return "";
      });
      if (core == this_core()) {
        EXPECT_EQ(words, "");
      } else {
        EXPECT_THAT(words, HasSubstr("belongs to core 0"));
      }
    }
    EXPECT_EQ(object, 42);
    // What is meant works from everywhere.
    on_all_cores([address] { delegate::increment(address, 10); });
    EXPECT_EQ(object, 42 + 10 * core_count());
  });
}

TEST(SilentFaults, AnAddressAtACoreThatDoesNotExistIsRefused) {
  test::on_machines([] {
    std::int64_t object = 0;
    const auto copies = symmetric_alloc<std::int64_t>();
    for (const int core : {core_count(), core_count() + 1, 60'000, -1}) {
      EXPECT_THROW((void)GlobalAddress<std::int64_t>::at(core, &object), UsageError) << core;
      EXPECT_THROW((void)copies.on(core), UsageError) << core;
    }
    symmetric_free(copies);
  });
}

// ---- memory that is freed twice

TEST(SilentFaults, ADoubleFreeIsRefused) {
  test::on_machines([] {
    const auto cells = global_alloc<std::int64_t>(100);
    const auto copies = symmetric_alloc<std::int64_t>(10);
    auto array = GlobalArray<std::int64_t>::create(100);
    auto same_array = array;
    global_free(cells);
    symmetric_free(copies);
    array.destroy();
    EXPECT_THAT(refusal_of([&] { global_free(cells); }), HasSubstr("freed twice"));
    EXPECT_THAT(refusal_of([&] { symmetric_free(copies); }), HasSubstr("freed twice"));
    EXPECT_THAT(refusal_of([&] { same_array.destroy(); }), HasSubstr("was destroyed"));
    // In the original two owners had the same memory from then on.
    const auto first = global_alloc<std::int64_t>(100);
    const auto second = global_alloc<std::int64_t>(100);
    forall(first, 100, [](std::int64_t i, std::int64_t& x) { x = i; });
    forall(second, 100, [](std::int64_t i, std::int64_t& x) { x = -i; });
    for (std::int64_t i = 0; i < 100; ++i) {
      EXPECT_EQ(delegate::read(first + i), i);
      EXPECT_EQ(delegate::read(second + i), -i);
    }
    global_free(second);
    global_free(first);
  });
}

// With more cores than an element has bytes, its neighbors' offsets at a core are the same.
TEST(SilentFaults, FreeingAnElementIsRefusedOnManyCores) {
  run(test::deterministic(13, 3, 1), [] {
    const auto cells = global_alloc<char>(10'000);
    const auto words = global_alloc<std::int64_t>(10'000);
    for (const std::int64_t i : {1, 2, 3, 7, 38, 39, 64, 5000}) {
      EXPECT_THAT(refusal_of([&] { global_free(cells + i); }), HasSubstr("not the start")) << i;
      EXPECT_THAT(refusal_of([&] { global_free(words + i); }), HasSubstr("not the start")) << i;
    }
    delegate::write(words, 5);
    EXPECT_EQ(delegate::read(words), 5);
    global_free(cells);
    global_free(words);
  });
}

// ---- more than was expected

TEST(SilentFaults, AMapGrowsBeyondWhatWasExpected) {
  static constexpr std::int64_t kKeys = 5000;
  test::on_machines([] {
    auto map = GlobalHashMap<std::int64_t, std::int64_t>::create(10);
    forall(0, kKeys, [map](std::int64_t i) { map.async_insert(i * 64, i); });
    EXPECT_EQ(map.size(), kKeys);
    const auto wrong = symmetric_alloc<std::int64_t>();
    forall(0, kKeys, [map, wrong](std::int64_t i) {
      if (map.find(i * 64) != i) ++wrong.local();
      if (map.contains(i * 64 + 1)) ++wrong.local();
    });
    EXPECT_EQ(reduce_cores([wrong] { return wrong.local(); }, std::int64_t{0}, std::plus<>{}), 0);
    symmetric_free(wrong);
    map.destroy();
  });
}

TEST(SilentFaults, AnIndexBeyondAnArrayIsRefused) {
  test::on_machines([] {
    for (const Distribution distribution :
         {Distribution::kBlock, Distribution::kCyclic, Distribution::kPermuted}) {
      auto array = GlobalArray<std::int64_t>::create(10, distribution);
      std::vector<std::int64_t> values(3);
      for (const std::int64_t i :
           {std::int64_t{10}, std::int64_t{11}, std::int64_t{-1}, std::int64_t{1} << 40,
            std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()}) {
        EXPECT_THAT(refusal_of([&] { delegate::write(array[i], 1); }),
                    HasSubstr("there is no element " + std::to_string(i)));
        const std::vector<std::int64_t> indices{0, 9, i};
        EXPECT_THAT(refusal_of([&] { array.gather(indices, values); }), HasSubstr("no element"));
        EXPECT_THAT(refusal_of([&] { array.scatter(indices, values); }), HasSubstr("no element"));
      }
      EXPECT_EQ(reduce(array, 0, std::plus<>{}), 0) << "a refused call wrote something";
      array.destroy();
      EXPECT_THAT(refusal_of([&] { (void)array[0]; }), HasSubstr("empty"));
    }
  });
}

// ---- asynchronous means that nobody waits

// On one thread nothing runs elsewhere before the task lets go, so what an operation has done when
// it returns is what it did itself.
TEST(SilentFaults, WhatIsCalledAsynchronousIs) {
  run(test::deterministic(2, 1, 1), [] {
    const auto words = symmetric_alloc<std::int64_t>(4);
    // Simulated locales share a process: a look from outside, behind the runtime's back.
    const auto raw = reinterpret_cast<std::int64_t*>(
        delegate::call(1, [words] { return reinterpret_cast<std::uint64_t>(words.pointer()); }));
    const GlobalAddress<std::int64_t> remote = words.on(1);
    CompletionEvent done;
    delegate::async::write(done, remote, 7);
    delegate::async::increment(done, remote + 1, 5);
    delegate::async::call(done, remote + 2, [](std::int64_t& x) { x = 9; });
    EXPECT_THAT(std::vector(raw, raw + 3), testing::Each(0)) << "somebody waited";
    EXPECT_FALSE(done.finished());
    done.wait();
    EXPECT_THAT(std::vector(raw, raw + 3), testing::ElementsAre(7, 5, 9));

    // Atomic operations with an answer go asynchronously in two phases.
    auto added = delegate::issue(remote, [](std::int64_t& x) { return x += 1; });
    auto swapped = delegate::issue(remote + 3, [](std::int64_t& x) {
      if (x != 0) return false;
      x = 3;
      return true;
    });
    auto read = delegate::issue_read(remote + 1);
    EXPECT_FALSE(added.ready() || swapped.ready() || read.ready()) << "somebody waited";
    EXPECT_EQ(raw[0], 7);
    EXPECT_EQ(added.complete(), 8);
    EXPECT_TRUE(swapped.complete());
    EXPECT_EQ(read.complete(), 5);
    symmetric_free(words);
  });
}

// ---- what was a stub

TEST(SilentFaults, TryLockLocks) {
  test::on_machines([] {
    Mutex mutex;
    EXPECT_TRUE(mutex.try_lock());
    CompletionEvent done;
    int refused = 0;
    int* count = &refused;
    Mutex* shared = &mutex;
    spawn(done, [shared, count] { *count += shared->try_lock() ? 0 : 1; });
    done.wait();
    EXPECT_EQ(refused, 1);
    mutex.unlock();
    EXPECT_FALSE(mutex.locked());
    EXPECT_TRUE(mutex.try_lock());
    mutex.unlock();
  });
}

TEST(SilentFaults, AConditionVariableWaitsAndWakes) {
  test::on_machines([] {
    struct State {
      Mutex mutex;
      ConditionVariable changed;
      bool open = false;
      int waiting = 0;
      int through = 0;
    } state;
    State* s = &state;
    CompletionEvent done;
    for (int t = 0; t < 3; ++t) {
      spawn(done, [s] {
        std::unique_lock lock(s->mutex);
        ++s->waiting;
        s->changed.wait(lock, [s] { return s->open; });
        ++s->through;
      });
    }
    while (state.waiting < 3) yield();
    for (int i = 0; i < 10; ++i) yield();
    EXPECT_EQ(state.through, 0) << "nobody may pass yet";
    {
      const std::lock_guard lock(state.mutex);
      state.open = true;
    }
    state.changed.notify_one();
    while (state.through < 1) yield();
    state.changed.notify_all();
    done.wait();
    EXPECT_EQ(state.through, 3);
  });
}

TEST(SilentFaults, PrefixSumsAdd) {
  test::on_machines([] {
    for (const std::int64_t n : {1, 100, 1001}) {
      auto array = GlobalArray<std::int64_t>::create(n);
      array.forall([](std::int64_t i, std::int64_t& x) { x = i * i - 7; });
      EXPECT_EQ(exclusive_prefix_sum(array), [n] {
        std::int64_t sum = 0;
        for (std::int64_t i = 0; i < n; ++i) sum += i * i - 7;
        return sum;
      }());
      std::int64_t sum = 0;
      for (std::int64_t i = 0; i < n; ++i) {
        ASSERT_EQ(delegate::read(array[i]), sum) << i;
        sum += i * i - 7;
      }
      array.destroy();
    }
    const auto scanned =
        gather_cores([] { return inclusive_scan(this_core() + 1, std::plus<>{}); });
    for (int core = 0; core < core_count(); ++core) {
      EXPECT_EQ(scanned[static_cast<std::size_t>(core)], (core + 1) * (core + 2) / 2);
    }
  });
}

// ---- measurements

TEST(Measurements, AYieldGoesToAnotherWorker) {
  static constexpr int kWorkers = 20;
  static constexpr int kTurns = 100;
  Config config = test::threads(1);
  config.shuffle = false;
  run(config, [] {
    struct State {
      int started = 0;
      std::vector<int> turns;
    } state;
    State* s = &state;
    CompletionEvent done;
    for (int w = 0; w < kWorkers; ++w) {
      spawn(done, [s, w] {
        ++s->started;
        while (s->started < kWorkers) yield();
        for (int k = 0; k < kTurns; ++k) {
          s->turns.push_back(w);
          yield();
        }
      });
    }
    done.wait();
    ASSERT_EQ(state.turns.size(), std::size_t{kWorkers} * kTurns);
    std::array<int, kWorkers> count{};
    int to_itself = 0;
    for (std::size_t i = 0; i < state.turns.size(); ++i) {
      ++count[static_cast<std::size_t>(state.turns[i])];
      if (i > 0 && state.turns[i] == state.turns[i - 1]) ++to_itself;
    }
    EXPECT_THAT(count, testing::Each(kTurns));
    // Only the last one is alone in the end.
    EXPECT_LE(to_itself, kWorkers);
  });
}

TEST(Measurements, CountersCountAfterAReset) {
  static const metrics::Counter counter{"test.resets", "for this test"};
  static const metrics::Histogram histogram{"test.reset_sizes", "for this test"};
  internal::MetricsRegistry registry(2);
  const auto total_of = [&registry](const std::string& name) {
    for (const MetricValue& value : registry.snapshot()) {
      if (value.name == name) return value.total;
    }
    return std::uint64_t{999'999};
  };
  internal::MetricsBlock* before = metrics::current();
  for (int round = 0; round < 3; ++round) {
    metrics::set_current(&registry.block(round % 2));
    counter.add(5);
    counter.add_to(registry.block(1), 2);
    histogram.record(100);
    EXPECT_EQ(total_of("test.resets"), 7u);
    EXPECT_EQ(total_of("test.reset_sizes"), 1u);
    registry.reset();
    EXPECT_EQ(total_of("test.resets"), 0u);
    EXPECT_EQ(total_of("test.reset_sizes"), 0u);
  }
  metrics::set_current(before);
}

TEST(Measurements, EveryRunCountsFromZero) {
  std::vector<MetricsSnapshot> snapshots;
  for (int round = 0; round < 2; ++round) {
    run(test::deterministic(3, 2, 9), [&snapshots] {
      const auto sum = symmetric_alloc<std::int64_t>();
      forall(0, 1000, [sum](std::int64_t i) {
        delegate::async::increment(sum.on(static_cast<int>(i % core_count())), i);
      });
      symmetric_free(sum);
      snapshots.push_back(metrics_snapshot());
    });
  }
  ASSERT_EQ(snapshots[0].size(), snapshots[1].size());
  std::uint64_t everything = 0;
  for (std::size_t i = 0; i < snapshots[0].size(); ++i) {
    EXPECT_EQ(snapshots[0][i].total, snapshots[1][i].total) << snapshots[0][i].name;
    everything += snapshots[0][i].total;
  }
  EXPECT_GT(everything, 1000u);
}

// In virtual time, with a period that no read could hide: a thousand times the way there and back.
TEST(Measurements, ARemoteReadWaitsForNoPeriod) {
  Config config = test::deterministic(2, 1, 1);
  config.simulation.latency_ns = 1000;
  config.simulation.reorder = 0;
  config.flush_ns = 2'000'000;
  run(config, [] {
    const auto words = symmetric_alloc<std::int64_t>();
    const std::uint64_t start = run_time_ns();
    for (int i = 0; i < 50; ++i) EXPECT_EQ(delegate::read(words.on(1)), 0);
    EXPECT_LT(run_time_ns() - start, internal::here().locale.config.flush_ns)
        << "of the virtual clock";
    symmetric_free(words);
  });
}

// On real threads, with another task that keeps the asking core busy. A period that is never over:
// were messages sent when they are old only, this would not end.
TEST(Measurements, ARemoteReadOfAnIdleCoreFillsNoChunk) {
  static constexpr std::uint64_t kReads = 300;
  Config config = test::threads(2);
  config.flush_ns = 3'600'000'000'000;
  run(config, [] {
    if (core_count() == 1) return;  // nothing is remote on this machine
    const auto words = symmetric_alloc<std::int64_t>();
    for (const bool busy : {false, true}) {
      bool stop = busy ? false : true;
      bool* flag = &stop;
      CompletionEvent done;
      spawn(done, [flag] {
        while (!*flag) yield();
      });
      const std::uint64_t chunks = metric("message.chunks");
      for (std::uint64_t i = 0; i < kReads; ++i) EXPECT_EQ(delegate::read(words.on(1)), 0);
      stop = true;
      done.wait();
      EXPECT_GE(metric("message.chunks") - chunks, 2 * kReads) << "each went alone";
    }
    EXPECT_EQ(metric("message.flush_age"), 0u);
    EXPECT_GT(metric("message.flush_hungry") + metric("message.flush_idle"), kReads);
    symmetric_free(words);
  });
}

}  // namespace
}  // namespace grappa
