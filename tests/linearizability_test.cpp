// Delegates are linearizable: every history of reads, writes, fetch-adds and compare-exchanges on a
// word has an order that agrees with real time and with what each operation returned.
//
// Many tasks run random operations on a few words and record when each was called and when it
// returned. The checker (linearizability.hpp) judges the history of each word; it is itself tested
// with histories that have no legal order.

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

#include "grappa/grappa.hpp"
#include "linearizability.hpp"

namespace grappa {
namespace {

struct Operation {
  enum class Kind { kRead, kWrite, kFetchAdd, kCompareExchange } kind = Kind::kRead;
  std::int64_t argument = 0;
  std::int64_t desired = 0;  // of a compare-exchange
  std::int64_t result = 0;   // a compare-exchange returns 0 or 1
  std::uint64_t called = 0;
  std::uint64_t returned = 0;
};

/// Applies `op` to `value`; false when it could not have returned what it did.
bool apply(const Operation& op, std::int64_t& value) {
  switch (op.kind) {
    case Operation::Kind::kRead:
      return op.result == value;
    case Operation::Kind::kWrite:
      value = op.argument;
      return true;
    case Operation::Kind::kFetchAdd: {
      const bool possible = op.result == value;
      value += op.argument;
      return possible;
    }
    default: {
      const bool succeeds = value == op.argument;
      if (succeeds) value = op.desired;
      return (op.result != 0) == succeeds;
    }
  }
}

bool linearizable(const std::vector<Operation>& history) {
  return test::linearizable(history, std::int64_t{0}, apply);
}

using Kind = Operation::Kind;

TEST(Checker, AcceptsOverlappingOperationsInAnyOrderThatExplainsThem) {
  EXPECT_TRUE(linearizable({{Kind::kWrite, 1, 0, 0, 1, 10},
                            {Kind::kRead, 0, 0, 0, 2, 3},
                            {Kind::kRead, 0, 0, 1, 4, 5}}));
  EXPECT_TRUE(linearizable({{Kind::kFetchAdd, 1, 0, 1, 1, 10}, {Kind::kFetchAdd, 1, 0, 0, 2, 9}}));
}

TEST(Checker, RejectsAReadOfAnOldValueAfterAWriteReturned) {
  EXPECT_FALSE(linearizable({{Kind::kWrite, 1, 0, 0, 1, 2}, {Kind::kRead, 0, 0, 0, 3, 4}}));
}

TEST(Checker, RejectsALostUpdate) {
  EXPECT_FALSE(linearizable({{Kind::kFetchAdd, 1, 0, 0, 1, 10}, {Kind::kFetchAdd, 1, 0, 0, 2, 9}}));
}

TEST(Checker, RejectsTwoSuccessfulCompareExchangesFromOneValue) {
  EXPECT_FALSE(linearizable(
      {{Kind::kCompareExchange, 0, 1, 1, 1, 10}, {Kind::kCompareExchange, 0, 2, 1, 2, 9}}));
}

constexpr int kWords = 12;
constexpr int kTasksPerWord = 6;
constexpr int kOperationsPerTask = 4;

std::uint64_t next_random(std::uint64_t& state) {
  state = state * 6364136223846793005ull + 1442695040888963407ull;
  return state >> 33;
}

/// Runs random operations on random words from many tasks; returns the history of each word.
std::vector<std::vector<Operation>> random_histories(std::uint64_t seed) {
  auto words = GlobalArray<std::int64_t>::create(kWords, Distribution::kCyclic);
  constexpr int kTasks = kWords * kTasksPerWord;
  struct Record {
    int word;
    Operation operation;
  };
  std::vector<Record> records(static_cast<std::size_t>(kTasks) * kOperationsPerTask);
  std::atomic<std::uint64_t> clock{1};
  Record* kept = records.data();
  auto* time = &clock;
  CompletionEvent all;
  for (int t = 0; t < kTasks; ++t) {
    spawn_on(all, t % core_count(), [=] {
      std::uint64_t random = seed * 1'000'003 + static_cast<std::uint64_t>(t);
      for (int k = 0; k < kOperationsPerTask; ++k) {
        Record& record = kept[t * kOperationsPerTask + k];
        // A task keeps to a word and its neighbor, so that words are contended.
        record.word = (t / kTasksPerWord + static_cast<int>(next_random(random) % 2)) % kWords;
        Operation& op = record.operation;
        op.kind = static_cast<Kind>(next_random(random) % 4);
        op.argument = static_cast<std::int64_t>(next_random(random) % 4);
        op.desired = static_cast<std::int64_t>(next_random(random) % 4);
        const auto address = words[record.word];
        op.called = time->fetch_add(1);
        switch (op.kind) {
          case Kind::kRead:
            op.result = delegate::read(address);
            break;
          case Kind::kWrite:
            delegate::write(address, op.argument);
            break;
          case Kind::kFetchAdd:
            op.result = delegate::fetch_add(address, op.argument);
            break;
          default:
            op.result = delegate::compare_exchange(address, op.argument, op.desired) ? 1 : 0;
        }
        op.returned = time->fetch_add(1);
      }
    });
  }
  all.wait();
  words.destroy();
  std::vector<std::vector<Operation>> histories(kWords);
  for (const Record& record : records)
    histories[static_cast<std::size_t>(record.word)].push_back(record.operation);
  return histories;
}

void expect_linearizable(const Config& config, std::uint64_t seed) {
  run(config, [seed] {
    for (const auto& history : random_histories(seed)) {
      ASSERT_LE(history.size(), 64u);
      EXPECT_TRUE(linearizable(history)) << "seed " << seed;
    }
  });
}

TEST(Linearizability, OnTheCoresOfOneLocale) {
  Config config;
  config.scan_payloads = false;  // the history is kept in the memory of the test
  for (std::uint64_t seed = 1; seed <= 40; ++seed) expect_linearizable(config, seed);
}

TEST(Linearizability, OnLocalesWhoseNetworkReorders) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Config config;
    config.scan_payloads = false;
    config.locales = 4;
    config.cores = 2;
    config.shuffle = true;
    config.simulation.mode = SimulationMode::kDeterministic;
    config.simulation.seed = seed;
    config.simulation.reorder = 0.5;
    expect_linearizable(config, seed);
  }
}

}  // namespace
}  // namespace grappa
