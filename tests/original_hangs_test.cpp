// What broke in the original Grappa, as promises of this one: hangs, crashes without a word, and
// what was never tested. Wrong results are in original_faults_test.cpp.
//
// Hangs
//   nested blocking forall on the default event       Hangs.NestedLoopsThatBlock
//   more processes than locales                       Hangs.MoreLocalesThanProcessors
//   UTS with its default combining                    Hangs.AnUnbalancedTreeIsCounted
//   pools exhausted under load                        Hangs.TinyChunksUnderLoad,
//                                                     .HandlersThatSendToAFullCore
//   spinning ranks that starve on a busy machine      Hangs.LocalesOnABusyMachine
// Crashes
//   raw function pointers between executables         Crashes.ManyTypesOfMessagesKeepApart; types
//     travel as pointers here, since all locales are in one process; between processes only when
//     there is a transport between processes
//   over-aligned structs                              Crashes.OverAlignedStructsLieAligned
//   stack overflow                                    CrashDeathTest.AStackOverflowIsNamed
//   an exception in a task                            Crashes.AnExceptionInATaskIsReported
//   an out-of-bounds write                            SilentFaults.AnIndexBeyondAnArrayIsRefused,
//                                                     .AnAddressAtACoreThatDoesNotExistIsRefused
//   a closure too large, found at run time            Crashes.ClosuresLargerThanAChunkArrive
//   a closure that cannot travel at all               compile_errors_test.py
//   a fixed shared-memory name per node               Crashes.SeveralProcessesRunAtOnce,
//                                                     .OneProcessRunsAgainAndAgain
// Never tested
//   any error path, exhaustion                        NeverTested.ErrorsOnEveryPathComeHome,
//                                                     .MemoryThatIsNotThere
//   stack overflow                                    CrashDeathTest.AStackOverflowIsNamed
//   rank failure                                      NeverTestedDeathTest.ALostLocaleEndsTheRun
//   more than two locales                             nearly all of these

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "grappa/grappa.hpp"
#include "grappa/parallel/test_machines.hpp"

namespace grappa {
namespace {

using testing::HasSubstr;

std::int64_t sum_of(SymmetricAddress<std::int64_t> counter) {
  return reduce_cores([counter] { return counter.local(); }, std::int64_t{0}, std::plus<>{});
}

// ---- hangs

TEST(Hangs, NestedLoopsThatBlock) {
  for (const int workers : {1, 3, 1024}) {
    for (Config config : test::all_shapes()) {
      config.max_forall_workers = workers;
      SCOPED_TRACE(test::describe(config) + ", workers " + std::to_string(workers));
      run(config, [] {
        const auto count = symmetric_alloc<std::int64_t>();
        forall(0, 6, LoopOptions{.grain = 1}, [count](std::int64_t i) {
          delegate::increment(count.on(static_cast<int>(i) % core_count()));
          forall(0, 5, LoopOptions{.grain = 1}, [count](std::int64_t j) {
            delegate::read(count.on(static_cast<int>(j) % core_count()));
            forall(0, 4, LoopOptions{.grain = 1}, [count](std::int64_t k) {
              delegate::increment(count.on(static_cast<int>(k) % core_count()));
            });
          });
        });
        EXPECT_EQ(sum_of(count), 6 + 6 * 5 * 4);
        symmetric_free(count);
      });
    }
  }
}

TEST(Hangs, MoreLocalesThanProcessors) {
  for (const Config& config : {test::cluster(8, 1), test::cluster(5, 3),
                               test::deterministic(16, 2, 1), test::deterministic(64, 1, 2)}) {
    SCOPED_TRACE(test::describe(config));
    run(config, [] {
      const auto count = symmetric_alloc<std::int64_t>();
      forall(0, 1000, [count](std::int64_t i) {
        delegate::async::increment(count.on(static_cast<int>(i) % core_count()));
      });
      EXPECT_EQ(sum_of(count), 1000);
      on_all_cores([] {
        for (int round = 0; round < 3; ++round) barrier();
        if (all_reduce(1, std::plus<>{}) != core_count()) throw std::logic_error("lost a core");
      });
      symmetric_free(count);
    });
  }
}

// A tree in the manner of UTS: the number of children follows from a hash of the node.
std::uint64_t child_of(std::uint64_t node, std::uint64_t k) {
  std::uint64_t x = node * 0x9E3779B97F4A7C15ull + k + 1;
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9ull;
  return x ^ x >> 27;
}
int children_of(std::uint64_t node, int depth) {
  if (depth == 0) return 60;
  return node % 1000 < 235 ? 4 : 0;
}

std::int64_t count_serially(std::uint64_t node, int depth) {
  std::int64_t nodes = 1;
  const int n = children_of(node, depth);
  for (int k = 0; k < n; ++k) {
    nodes += count_serially(child_of(node, static_cast<std::uint64_t>(k)), depth + 1);
  }
  return nodes;
}

void visit(SymmetricAddress<std::int64_t> nodes, std::uint64_t node, int depth) {
  // Counted at another core: each node is also an update that travels with others.
  delegate::async::increment(
      nodes.on(static_cast<int>(node % static_cast<std::uint64_t>(core_count()))));
  const int n = children_of(node, depth);
  for (int k = 0; k < n; ++k) {
    const std::uint64_t child = child_of(node, static_cast<std::uint64_t>(k));
    spawn_public([nodes, child, depth] { visit(nodes, child, depth + 1); });
  }
}

TEST(Hangs, AnUnbalancedTreeIsCounted) {
  const std::int64_t expected = count_serially(1, 0);
  ASSERT_GT(expected, 300);
  test::on_machines([expected] {
    const auto nodes = symmetric_alloc<std::int64_t>();
    CompletionEvent done;
    spawn_public(done, [nodes] { visit(nodes, 1, 0); });
    done.wait();
    EXPECT_EQ(sum_of(nodes), expected);
    symmetric_free(nodes);
  });
}

std::uint64_t metric(const std::string& name) {
  for (const MetricValue& value : metrics_snapshot()) {
    if (value.name == name) return value.total;
  }
  ADD_FAILURE() << "there is no metric " << name;
  return 0;
}

std::vector<Config> tight_machines() {
  std::vector<Config> all{test::threads(2), test::cluster(2, 2), test::deterministic(4, 1, 3)};
  for (Config& config : all) {
    config.chunk_bytes = 1024;
    config.max_forall_workers = 4;
  }
  return all;
}

// A message that is mostly payload, so that a few of them use up a credit.
struct Heavy {
  std::array<std::int64_t, 60> words;
};

TEST(Hangs, TinyChunksUnderLoad) {
  static constexpr std::int64_t kEach = 12'000;  // of half a kilobyte, for one core
  for (const Config& config : tight_machines()) {
    SCOPED_TRACE(test::describe(config));
    // Between threads it depends on their speed whether anybody has to wait.
    const bool must_wait = config.simulation.mode == SimulationMode::kDeterministic;
    run(config, [must_wait] {
      const auto sum = symmetric_alloc<std::int64_t>();
      // Everybody floods the last core, and it floods them.
      on_all_cores([sum] {
        Heavy heavy{};
        heavy.words.fill(1);
        const int last = core_count() - 1;
        for (std::int64_t i = 0; i < kEach; ++i) {
          const int to = this_core() != last || last == 0 ? last : static_cast<int>(i % last);
          delegate::async::call(to, [sum, heavy] { sum.local() += heavy.words[59]; });
        }
      });
      EXPECT_EQ(sum_of(sum), kEach * core_count());
      if (must_wait) {
        EXPECT_GT(metric("message.send_waits"), 0u) << "the load was too light";
      }
      symmetric_free(sum);
    });
  }
}

TEST(Hangs, HandlersThatSendToAFullCore) {
  static constexpr std::int64_t kEach = 4'000;
  for (const Config& config : tight_machines()) {
    SCOPED_TRACE(test::describe(config));
    run(config, [] {
      const auto sum = symmetric_alloc<std::int64_t>();
      on_all_cores([sum] {
        Heavy heavy{};
        heavy.words.fill(1);
        for (std::int64_t i = 0; i < kEach; ++i) {
          // Each message sends two as large as itself, to a neighbor and to where all go.
          delegate::async::call(static_cast<int>(i) % core_count(), [sum, heavy] {
            for (const int to : {(this_core() + 1) % core_count(), 0}) {
              delegate::async::call(to, [sum, heavy] { sum.local() += heavy.words[0]; });
            }
          });
          // Others wait for answers meanwhile.
          if (i % 100 == 0) delegate::read(sum.on(static_cast<int>(i / 100) % core_count()));
        }
      });
      EXPECT_EQ(sum_of(sum), 2 * kEach * core_count());
      symmetric_free(sum);
    });
  }
}

TEST(Hangs, LocalesOnABusyMachine) {
  std::atomic<bool> stop{false};
  std::vector<std::thread> burners;
  for (std::size_t i = 0; i < 2 * internal::usable_cpus().size(); ++i) {
    burners.emplace_back([&stop] {
      while (!stop.load(std::memory_order_relaxed)) {
      }
    });
  }
  for (Config config : {test::cluster(8, 1), test::threads(2)}) {
    for (const std::uint64_t spin : {std::uint64_t{0}, config.spin_ns}) {
      config.spin_ns = spin;
      SCOPED_TRACE(test::describe(config));
      run(config, [] {
        const auto count = symmetric_alloc<std::int64_t>();
        forall(0, 200, [count](std::int64_t i) {
          delegate::increment(count.on(static_cast<int>(i) % core_count()));
        });
        on_all_cores([] { barrier(); });
        EXPECT_EQ(sum_of(count), 200);
        symmetric_free(count);
      });
    }
  }
  stop = true;
  for (std::thread& burner : burners) burner.join();
}

// ---- crashes

// Messages of forty types of different sizes, mixed: each must run as what it was sent as.
template <std::size_t I>
void send_kind(SymmetricAddress<std::int64_t> sums, int core, std::int64_t value) {
  struct Padding {
    std::array<std::uint8_t, I % 7 + 1> bytes;
  };
  Padding padding;
  padding.bytes.fill(static_cast<std::uint8_t>(I));
  delegate::async::call(sums.on(core) + static_cast<std::int64_t>(I),
                        [padding, value](std::int64_t& x) {
                          if (padding.bytes.back() != I)
                            throw std::logic_error("another's payload");
                          x += value * static_cast<std::int64_t>(I + 1);
                        });
}

template <std::size_t... kKinds>
void send_kinds(SymmetricAddress<std::int64_t> sums, std::int64_t i,
                std::index_sequence<kKinds...>) {
  const auto core = [i](std::size_t k) {
    return static_cast<int>((static_cast<std::size_t>(i) + k) %
                            static_cast<std::size_t>(core_count()));
  };
  (send_kind<kKinds>(sums, core(kKinds), i), ...);
}

TEST(Crashes, ManyTypesOfMessagesKeepApart) {
  constexpr std::size_t kKinds = 40;
  static constexpr std::int64_t kRounds = 200;
  test::on_machines([] {
    const auto sums = symmetric_alloc<std::int64_t>(kKinds);
    forall(0, kRounds,
           [sums](std::int64_t i) { send_kinds(sums, i, std::make_index_sequence<kKinds>{}); });
    for (std::size_t k = 0; k < kKinds; ++k) {
      const auto index = static_cast<std::int64_t>(k);
      EXPECT_EQ(reduce_cores([sums, index] { return sums.pointer()[index]; }, std::int64_t{0},
                             std::plus<>{}),
                (index + 1) * (kRounds * (kRounds - 1) / 2));
    }
    symmetric_free(sums);
  });
}

template <std::size_t kAlignment>
struct alignas(kAlignment) Aligned {
  std::int64_t value = 0;

  bool is_aligned() const { return reinterpret_cast<std::uintptr_t>(this) % kAlignment == 0; }
  static void require(bool holds, const char* where) {
    if (!holds) throw std::logic_error(std::string(where) + " is not aligned");
  }
};

template <std::size_t kAlignment>
void use_aligned() {
  using T = Aligned<kAlignment>;
  SCOPED_TRACE(kAlignment);
  const auto heap = global_alloc<T>(70);
  const auto copies = symmetric_alloc<T>(3);
  auto array = GlobalArray<T>::create(70);
  auto map = GlobalHashMap<std::int64_t, T>::create();
  forall(heap, 70, [](std::int64_t i, T& x) {
    T::require(x.is_aligned(), "the heap");
    x.value = i;
  });
  on_all_cores([copies] {
    for (int i = 0; i < 3; ++i) T::require(copies.pointer()[i].is_aligned(), "symmetric memory");
    T on_stack;
    T::require(on_stack.is_aligned(), "a stack");
  });
  array.forall([](std::int64_t i, T& x) {
    T::require(x.is_aligned(), "an array");
    x.value = -i;
  });
  for (int core = 0; core < core_count(); ++core) {
    T payload;
    payload.value = core;
    // In a message, in its answer, and in a task.
    const T back = delegate::call(core, [payload] {
      T::require(payload.is_aligned(), "a message");
      return payload;
    });
    EXPECT_EQ(back.value, core);
    CompletionEvent done;
    spawn_on(done, core, [payload] { T::require(payload.is_aligned(), "a task"); });
    done.wait();
  }
  for (std::int64_t i = 0; i < 70; ++i) {
    EXPECT_EQ(delegate::read(heap + i).value, i);
    EXPECT_EQ(delegate::read(array[i]).value, -i);
    T value;
    value.value = 3 * i;
    map.insert(i, value);
  }
  EXPECT_EQ(map.find(69)->value, 207);
  map.forall([](const std::int64_t&, T& x) { T::require(x.is_aligned(), "a map"); });
  map.destroy();
  array.destroy();
  symmetric_free(copies);
  global_free(heap);
}

TEST(Crashes, OverAlignedStructsLieAligned) {
  test::on_machines([] {
    use_aligned<32>();
    use_aligned<64>();
    use_aligned<128>();
  });
}

TEST(Crashes, AnExceptionInATaskIsReported) {
  test::on_machines([] {
    for (int core = 0; core < core_count(); ++core) {
      CompletionEvent done;
      spawn_on(done, core, [] { throw std::out_of_range("vertex 17"); });
      try {
        done.wait();
        ADD_FAILURE() << "nothing was thrown";
      } catch (const RemoteError& e) {
        EXPECT_THAT(e.what(),
                    testing::AllOf(HasSubstr("std::out_of_range"), HasSubstr("vertex 17")));
      }
    }
  });
}

template <std::size_t kBytes>
void send_large() {
  std::array<std::uint8_t, kBytes> data;
  std::iota(data.begin(), data.end(), std::uint8_t{3});
  const auto sum = std::accumulate(data.begin(), data.end(), std::int64_t{0});
  const auto total = symmetric_alloc<std::int64_t>();
  for (int core = 0; core < core_count(); ++core) {
    const auto add = [data, total] {
      total.local() += std::accumulate(data.begin(), data.end(), std::int64_t{0});
    };
    delegate::call(core, add);
    CompletionEvent done;
    delegate::async::call(done, core, add);
    spawn_on(done, core, add);
    done.wait();
    EXPECT_EQ(delegate::read(total.on(core)), 3 * sum) << kBytes;
  }
  forall(0, core_count(), [data, total](std::int64_t) { total.local() += data[0]; });
  EXPECT_EQ(sum_of(total), core_count() * (3 * sum + 3));
  symmetric_free(total);
}

TEST(Crashes, ClosuresLargerThanAChunkArrive) {
  for (Config config : test::all_shapes()) {
    config.chunk_bytes = 1024;
    config.stack_bytes = 4 << 20;  // without optimization every call copies its closure
    SCOPED_TRACE(test::describe(config));
    run(config, [] {
      send_large<1'000>();
      send_large<5'000>();
      send_large<100'000>();
    });
  }
}

// A small program, as another process runs it; true when its result is right.
bool small_program(const Config& config) {
  std::int64_t total = 0;
  run(config, [&total] {
    const auto sum = GlobalAddress<std::int64_t>::of_local(&total);
    const auto cells = global_alloc<std::int64_t>(1000);
    forall(cells, 1000, [](std::int64_t i, std::int64_t& x) { x = i; });
    forall(0, 1000,
           [=](std::int64_t i) { delegate::async::increment(sum, delegate::read(cells + i)); });
    global_free(cells);
  });
  return total == 499'500;
}

TEST(Crashes, SeveralProcessesRunAtOnce) {
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      bool right = true;
      for (int round = 0; round < 3; ++round) {
        right &= small_program(i % 2 == 0 ? test::threads(2) : test::cluster(3, 1));
      }
      _exit(right ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
  }
}

TEST(Crashes, OneProcessRunsAgainAndAgain) {
  for (int round = 0; round < 5; ++round) {
    for (const Config& config : test::all_shapes()) EXPECT_TRUE(small_program(config));
  }
}

std::uint64_t overflow_the_stack(std::uint64_t depth) {
  volatile char frame[512];
  frame[0] = static_cast<char>(depth);
  frame[511] = frame[0];
  if (depth == 0) return 0;
  return overflow_the_stack(depth - 1) + static_cast<std::uint64_t>(frame[511]);
}

struct TaskThatRecursesTooDeep {
  void operator()() const { overflow_the_stack(1'000'000); }
};

TEST(CrashDeathTest, AStackOverflowIsNamed) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(run(test::cluster(3, 1), [] { spawn_on(2, TaskThatRecursesTooDeep{}); }),
              testing::ExitedWithCode(1),
              "stack overflow in .*TaskThatRecursesTooDeep.*raise --stack-size");
}

// ---- never tested

TEST(NeverTested, ErrorsOnEveryPathComeHome) {
  test::on_machines([] {
    const auto cells = symmetric_alloc<std::int64_t>();
    const auto fail = [] { throw std::runtime_error("no luck"); };
    const auto fail_at = [](std::int64_t&) -> std::int64_t { throw std::runtime_error("no luck"); };
    const auto expect_error = [](const auto& f) {
      try {
        f();
        ADD_FAILURE() << "nothing was thrown";
      } catch (const RemoteError& e) {
        EXPECT_EQ(e.type_name(), "std::runtime_error");
        EXPECT_EQ(e.message(), "no luck");
      }
    };
    for (int core = 0; core < core_count(); ++core) {
      expect_error([&] { delegate::call(core, fail); });
      expect_error([&] { delegate::call(cells.on(core), fail_at); });
      expect_error([&] { delegate::issue(core, fail).complete(); });
      expect_error([&] { delegate::issue(cells.on(core), fail_at).complete(); });
      expect_error([&] {
        CompletionEvent done;
        delegate::async::call(done, core, fail);
        done.wait();
      });
      expect_error([&] {
        CompletionEvent done;
        delegate::async::call(done, cells.on(core),
                              [](std::int64_t&) { throw std::runtime_error("no luck"); });
        done.wait();
      });
      expect_error([&] {
        CompletionEvent done;
        spawn_on(done, core, fail);
        done.wait();
      });
      expect_error([&] {
        forall(0, 100, [core](std::int64_t i) {
          if (i == core) throw std::runtime_error("no luck");
        });
      });
    }
    expect_error([&] { on_all_cores(fail); });
    expect_error([&] {
      reduce_cores([]() -> int { throw std::runtime_error("no luck"); }, 0, std::plus<>{});
    });
    // Nothing is left behind.
    on_all_cores([] { barrier(); });
    EXPECT_EQ(sum_of(cells), 0);
    symmetric_free(cells);
  });
}

TEST(NeverTested, MemoryThatIsNotThere) {
  test::on_machines([] {
    const auto words_of = [](const auto& f) -> std::string {
      try {
        f();
      } catch (const Error& e) {
        return e.what();
      }
      return "not refused";
    };
    constexpr std::int64_t kMany = std::int64_t{1} << 44;
    EXPECT_THAT(words_of([] { global_alloc<std::int64_t>(kMany / 8); }), HasSubstr("machine has"));
    EXPECT_THAT(words_of([] { symmetric_alloc<std::int64_t>(kMany / 8); }),
                HasSubstr("machine has"));
    EXPECT_THAT(words_of([] { static_cast<void>(GlobalArray<char>::create(kMany)); }),
                HasSubstr("machine has"));
    EXPECT_THAT(
        words_of([] { static_cast<void>(GlobalHashMap<std::int64_t, int>::create(kMany)); }),
        HasSubstr("machine has"));
    // And what is there still works.
    const auto cells = global_alloc<std::int64_t>(100);
    delegate::write(cells + 99, 1);
    EXPECT_EQ(delegate::read(cells + 99), 1);
    global_free(cells);
  });
}

void call_for_ever(int core) {
  for (;;) delegate::call(core, [] { return this_core(); });
}

TEST(NeverTestedDeathTest, ALostLocaleEndsTheRunByName) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  Config config = test::deterministic(3, 1, 1);
  config.simulation.lose_locale = 1;
  config.simulation.lose_at_ns = 1'000'000;
  EXPECT_EXIT(run(config, [] { call_for_ever(1); }), testing::ExitedWithCode(1),
              "^grappa: locale 1 \\(simulated\\) is lost: no heartbeat for 5 s\n$");
}

TEST(NeverTestedDeathTest, ALostLocaleEndsATimedRunByName) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  Config config;
  config.cores = 1;
  config.locales = 2;
  config.lost_after_ns = 50'000'000;
  config.simulation.lose_at_ns = 1'000'000;
  for (const int lost : {0, 1}) {
    config.simulation.lose_locale = lost;
    EXPECT_EXIT(run(config, [] { call_for_ever(1); }), testing::ExitedWithCode(1),
                "^grappa: locale [01] \\(simulated\\) is lost: no heartbeat for 0.05 s\n$");
  }
}

// As between processes: who does not listen for silence finds that nothing goes on.
TEST(NeverTestedDeathTest, ALostLocaleThatNobodyListensForIsADeadlock) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  Config config = test::deterministic(3, 1, 1);
  config.lost_after_ns = 0;
  config.simulation.lose_locale = 1;
  EXPECT_EXIT(run(config, [] { call_for_ever(1); }), testing::ExitedWithCode(1),
              "grappa: fatal: deadlock.*a delegate call");
}

}  // namespace
}  // namespace grappa
