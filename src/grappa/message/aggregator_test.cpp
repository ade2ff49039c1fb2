// How messages are collected, leave, and run: batches, chunks, tails, flushes.

#include "grappa/message/aggregator.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "grappa/message/test_network.hpp"
#include "grappa/message/test_note.hpp"

namespace grappa::internal {
namespace {

struct OtherNote {
  Log* log;
  int value;
  void operator()(RunContext&) const { log->push_back(-value); }
};

/// Of any size; carries a pattern that shows whether all of it came.
template <std::size_t kBytes>
struct Sized {
  Log* log;
  int value;
  std::array<unsigned char, kBytes> pattern;

  Sized(Log* l, int v) : log(l), value(v) { pattern.fill(static_cast<unsigned char>(v)); }
  void operator()(RunContext&) const {
    bool whole = true;
    for (const unsigned char byte : pattern) whole &= byte == static_cast<unsigned char>(value);
    log->push_back(whole ? value : -1);
  }
};

Log numbers(int count) {
  Log log(static_cast<std::size_t>(count));
  std::iota(log.begin(), log.end(), 0);
  return log;
}

TEST(Batches, MessagesOfOneTypeShareABatchAndKeepTheirOrder) {
  TestNetwork network({.cores = 2});
  Log log;
  for (int i = 0; i < 100; ++i) network.at(0).send(1, Note{&log, i}, nullptr);
  EXPECT_TRUE(log.empty());
  network.settle();
  EXPECT_EQ(log, numbers(100));
  EXPECT_EQ(network.count(kBatchesRun), 1u);
  EXPECT_EQ(network.count(kMessagesRun), 100u);
  EXPECT_EQ(network.count(kChunksSent), 1u);
}

TEST(Batches, AnotherTypeOrEventBeginsAnotherBatchInTheSameChunk) {
  TestNetwork network({.cores = 2});
  Log log;
  TestEvent event(network.core(0));
  Aggregator& messages = network.at(0);
  messages.send(1, Note{&log, 1}, nullptr);
  messages.send(1, OtherNote{&log, 2}, nullptr);
  messages.send(1, OtherNote{&log, 3}, &event.share);
  messages.send(1, OtherNote{&log, 4}, &event.share);
  messages.flush();
  EXPECT_EQ(network.count(kChunksSent), 1u);
  while (network.step(1)) {
  }
  EXPECT_EQ(log, (Log{1, -2, -3, -4}));
  EXPECT_EQ(network.count(kBatchesRun), 3u);
  network.settle();
  EXPECT_EQ(event.share.pending, 0);
}

TEST(Batches, AnEventIsUnfinishedUntilItsMessagesRan) {
  TestNetwork network({.cores = 2});
  Log log;
  TestEvent event(network.core(0));
  network.at(0).send(1, Note{&log, 0}, &event.share);
  EXPECT_NE(event.share.pending, 0);  // already while the batch is open
  for (int i = 1; i < 5; ++i) network.at(0).send(1, Note{&log, i}, &event.share);
  network.at(0).flush();
  EXPECT_EQ(event.share.pending, 5);
  network.step(1);
  EXPECT_EQ(log, numbers(5));
  EXPECT_EQ(event.share.pending, 5);  // the acknowledgement is still with core 1
  network.settle();
  EXPECT_EQ(event.share.pending, 0);
  EXPECT_EQ(network.count(kMessagesRun), 6u);  // one acknowledgement for the batch
}

TEST(Batches, MessagesToOneselfNeedNoTransfer) {
  TestNetwork network({.cores = 1});
  Log log;
  for (int i = 0; i < 10; ++i) network.at(0).send(0, Note{&log, i}, nullptr);
  network.settle();
  EXPECT_EQ(log, numbers(10));
  EXPECT_EQ(network.count(kChunksSent), 0u);
}

class ChunkSizes : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Bytes, ChunkSizes, testing::Values(1024, 1032, 4096, 65536));

template <std::size_t... kBytes>
void send_sizes(Aggregator& messages, Log* log, int rounds, CompletionShare* scope) {
  int value = 0;
  for (int i = 0; i < rounds; ++i) {
    (messages.send(1, Sized<kBytes>(log, value++ % 251), scope), ...);
  }
}

TEST_P(ChunkSizes, MessagesOfAllSizesArriveWhole) {
  TestNetwork network({.cores = 2, .chunk_bytes = GetParam()});
  Log log;
  TestEvent event(network.core(0));
  constexpr int kRounds = 200;
  send_sizes<1, 3, 8, 20, 100, 500, 900, 1200, 5000>(network.at(0), &log, kRounds, &event.share);
  network.settle();
  ASSERT_EQ(log.size(), 9u * kRounds);
  for (std::size_t i = 0; i < log.size(); ++i) ASSERT_EQ(log[i], static_cast<int>(i % 251)) << i;
  EXPECT_EQ(event.share.pending, 0);
}

TEST_P(ChunkSizes, FullChunksLeaveByThemselves) {
  TestNetwork network({.cores = 2, .chunk_bytes = GetParam()});
  Log log;
  const int count = static_cast<int>(10 * GetParam() / sizeof(Note));
  for (int i = 0; i < count; ++i) network.at(0).send(1, Note{&log, i}, nullptr);
  EXPECT_GE(network.count(kFlushFull), 9u);
  EXPECT_EQ(network.count(kFlushFull), network.count(kChunksSent));
  network.settle();
  EXPECT_EQ(log, numbers(count));
}

/// Checks and keeps a tail of any length.
struct Tailed {
  std::vector<std::string>* log;
  std::uint64_t bytes;
  void operator()(RunContext& context) const {
    EXPECT_GE(context.bytes, sizeof(Tailed) + bytes);
    EXPECT_LT(context.bytes, sizeof(Tailed) + bytes + 8);
    log->emplace_back(reinterpret_cast<const char*>(this + 1), bytes);
  }
};

TEST_P(ChunkSizes, TailsOfAnyLength) {
  TestNetwork network({.cores = 2, .chunk_bytes = GetParam()});
  std::vector<std::string> sent;
  std::vector<std::string> log;
  Log notes;
  for (const std::size_t bytes : {0u, 1u, 7u, 8u, 9u, 63u, 700u, 960u, 4000u, 300'000u}) {
    std::string tail(bytes, '\0');
    for (std::size_t i = 0; i < bytes; ++i) tail[i] = static_cast<char>(i * 7 + bytes);
    network.at(0).send(1, Note{&notes, static_cast<int>(sent.size())}, nullptr);
    network.at(0).send_with_tail(1, Tailed{&log, bytes}, tail.data(), bytes, nullptr);
    sent.push_back(tail);
  }
  network.settle();
  EXPECT_EQ(log, sent);
  EXPECT_EQ(notes, numbers(static_cast<int>(sent.size())));
}

struct alignas(128) Aligned {
  Log* log;
  int value;
  void operator()(RunContext&) const {
    const bool right = reinterpret_cast<std::uintptr_t>(this) % alignof(Aligned) == 0;
    log->push_back(right ? value : -1);
  }
};

TEST(Batches, OverAlignedMessagesLieAligned) {
  TestNetwork network({.cores = 2});
  Log log;
  network.at(0).send(1, Note{&log, 0}, nullptr);
  for (int i = 1; i < 50; ++i) network.at(0).send(1, Aligned{&log, i}, nullptr);
  network.settle();
  EXPECT_EQ(log, numbers(50));
}

// ---- prefetch

struct Prefetches {
  int started = 0;
  int run = 0;
  int furthest = 0;  // most that were started and not run
};

struct Fetching {
  Prefetches* seen;
  void prefetch(const Core&) const {
    ++seen->started;
    seen->furthest = std::max(seen->furthest, seen->started - seen->run);
  }
  void operator()(RunContext&) const {
    ++seen->run;
    EXPECT_LE(seen->run, seen->started);
  }
};

TEST(Batches, WhatMessagesWillTouchIsFetchedAhead) {
  for (const int ahead : {0, 1, 8, 32}) {
    for (const int count : {1, 7, 100}) {
      TestNetwork network({.cores = 2, .batch_prefetch = ahead});
      Prefetches seen;
      for (int i = 0; i < count; ++i) network.at(0).send(1, Fetching{&seen}, nullptr);
      network.settle();
      EXPECT_EQ(seen.run, count);
      EXPECT_EQ(seen.started, count);
      const int window = std::max(ahead, 1);
      EXPECT_GE(seen.furthest, std::min(window, count));
      EXPECT_LE(seen.furthest, window + 1);
    }
  }
}

// ---- when chunks leave

TEST(Flush, ByAgeAfterAWholePeriod) {
  TestNetwork network({.cores = 2});
  Log log;
  network.at(0).send(1, Note{&log, 0}, nullptr);
  network.at(0).tick();
  network.step(1);
  EXPECT_TRUE(log.empty());  // not yet a period old
  network.at(0).tick();
  network.step(1);
  EXPECT_EQ(log, numbers(1));
  EXPECT_EQ(network.count(kFlushAge), 1u);
}

TEST(Flush, ByAgeToManyDestinations) {
  TestNetwork network({.cores = 5});
  Log log;
  for (int i = 0; i < 5; ++i) network.at(0).send(i, Note{&log, i}, nullptr);
  network.at(0).tick();
  network.at(0).tick();
  EXPECT_EQ(network.count(kFlushAge), 5u);
  for (int i = 0; i < 5; ++i) network.step(i);
  EXPECT_EQ(log, numbers(5));
}

TEST(Flush, OnRequestOnlyWhatIsAskedFor) {
  TestNetwork network({.cores = 3});
  Log log;
  network.at(0).send(1, Note{&log, 1}, nullptr);
  network.at(0).send(2, Note{&log, 2}, nullptr);
  network.at(0).flush_to(2);
  EXPECT_FALSE(network.core(1).messages->has_arrivals());
  EXPECT_TRUE(network.core(2).messages->has_arrivals());
  EXPECT_EQ(network.count(kFlushAsked), 1u);
  EXPECT_TRUE(network.at(0).flush());
  EXPECT_FALSE(network.at(0).flush());
  EXPECT_TRUE(network.core(1).messages->has_arrivals());
}

TEST(Flush, AtOnceToACoreThatHasNothingToDo) {
  TestNetwork network({.cores = 3});
  Log log;
  network.core(2).set_hungry(true);
  network.at(0).send(1, Note{&log, 1}, nullptr);
  network.at(0).send(2, Note{&log, 2}, nullptr);
  network.at(0).poll();
  EXPECT_FALSE(network.core(1).messages->has_arrivals());
  EXPECT_TRUE(network.core(2).messages->has_arrivals());
  EXPECT_EQ(network.count(kFlushHungry), 1u);
}

// ---- other locales

TEST(Locales, MessagesArriveOnceInWhateverOrder) {
  TestNetwork network({.locales = 3, .cores = 2, .chunk_bytes = 1024, .reorder = 0.5});
  std::vector<Log> logs(6);
  constexpr int kCount = 500;
  for (int i = 0; i < kCount; ++i) {
    for (int to = 0; to < 6; ++to) {
      network.at((to + i) % 6).send(to, Note{&logs[static_cast<std::size_t>(to)], i}, nullptr);
    }
  }
  network.settle();
  for (Log& log : logs) {
    std::sort(log.begin(), log.end());
    EXPECT_EQ(log, numbers(kCount));
  }
  EXPECT_EQ(network.packets_in_flight(), 0u);
}

TEST(Locales, EventsEndAcrossThem) {
  TestNetwork network({.locales = 2, .cores = 2, .chunk_bytes = 1024, .reorder = 0.3});
  Log log;
  TestEvent event(network.core(3));
  for (int i = 0; i < 1000; ++i) network.at(3).send(i % 4, Note{&log, i}, &event.share);
  network.settle();
  EXPECT_EQ(log.size(), 1000u);
  EXPECT_EQ(event.share.pending, 0);
}

// ---- whole chunks

struct Question {
  Log* answers;
  std::uint64_t count;
  void operator()(RunContext& context);
};
struct Answer {
  Log* answers;
  std::uint64_t count;
  void operator()(RunContext& context) const {
    EXPECT_EQ(context.scope, nullptr);
    const auto* values = reinterpret_cast<const std::uint64_t*>(this + 1);
    for (std::uint64_t i = 0; i < count; ++i) answers->push_back(static_cast<int>(values[i]));
  }
};
void Question::operator()(RunContext& context) {
  auto* values = reinterpret_cast<std::uint64_t*>(this + 1);
  for (std::uint64_t i = 0; i < count; ++i) values[i] *= 2;
  context.core.messages->send_back<Answer>(context);
}

class WholeChunks : public testing::TestWithParam<TestNetwork::Shape> {};
INSTANTIATE_TEST_SUITE_P(Shapes, WholeChunks,
                         testing::Values(TestNetwork::Shape{.cores = 2},
                                         TestNetwork::Shape{.locales = 2, .reorder = 0.5}),
                         [](const auto& shape) {
                           return shape.param.locales == 1 ? "Cores" : "Locales";
                         });

TEST_P(WholeChunks, AreTurnedAroundWithTheAnswerInPlace) {
  TestNetwork network(GetParam());
  Log answers;
  constexpr int kChunks = 50;
  for (int i = 0; i < kChunks; ++i) {
    for (const int to : {0, 1}) {
      Aggregator& messages = network.at(0);
      Chunk* chunk = messages.acquire_chunk(to);
      const std::uint64_t count = (messages.largest_message() - sizeof(Question)) / 8;
      std::byte* place = Aggregator::message_of(chunk);
      new (place) Question{&answers, count};
      for (std::uint64_t j = 0; j < count; ++j) {
        new (place + sizeof(Question) + 8 * j) std::uint64_t(j);
      }
      messages.send_chunk<Question>(to, chunk, sizeof(Question) + 8 * count, nullptr);
    }
    network.settle();
  }
  const std::size_t each =
      (network.core(0).messages->largest_message() - sizeof(Question)) / sizeof(std::uint64_t);
  ASSERT_EQ(answers.size(), 2 * kChunks * each);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    ASSERT_EQ(answers[i], static_cast<int>(2 * (i % each)));
  }
}

// ---- exceptions

struct Failing {
  int value;
  void operator()(RunContext&) const {
    throw std::runtime_error("message " + std::to_string(value) + " failed");
  }
};

TEST(Exceptions, AreReportedToTheOwnerOfTheEvent) {
  for (const TestNetwork::Shape& shape :
       {TestNetwork::Shape{.cores = 3}, TestNetwork::Shape{.locales = 3}}) {
    TestNetwork network(shape);
    TestEvent event(network.core(0));
    for (int i = 0; i < 7; ++i) network.at(0).send(2, Failing{i}, &event.share);
    network.settle();
    EXPECT_EQ(event.share.pending, 0);
    EXPECT_EQ(event.errors.count, 7);
    EXPECT_EQ(event.errors.message, "message 0 failed");
    EXPECT_NE(event.errors.type_name.find("runtime_error"), std::string::npos);
  }
}

TEST(ExceptionsDeathTest, WithoutAnEventTheProcessEnds) {
  EXPECT_DEATH(
      {
        TestNetwork network({.cores = 2});
        network.at(0).send(1, Failing{3}, nullptr);
        network.settle();
      },
      "an exception left a message handler.*message 3 failed");
}

// ---- threads

struct Add {
  std::uint64_t* sum;
  std::uint64_t value;
  void operator()(RunContext&) const noexcept { *sum += value; }
};

TEST(Threads, ManyHandOverToOneAtATime) {
  constexpr int kSenders = 3;
  constexpr std::uint64_t kEach = 20'000;
  TestNetwork network({.cores = kSenders + 1, .chunk_bytes = 1024});
  std::uint64_t sum = 0;  // belongs to core 0
  std::atomic<int> sending{kSenders};
  std::vector<std::thread> senders;
  for (int i = 1; i <= kSenders; ++i) {
    senders.emplace_back([&network, &sum, &sending, i] {
      Core& core = network.enter(i);
      for (std::uint64_t j = 1; j <= kEach; ++j) core.messages->send(0, Add{&sum, j}, nullptr);
      core.messages->flush();
      sending.fetch_sub(1);
    });
  }
  while (sending.load() > 0) network.step(0);
  for (std::thread& sender : senders) sender.join();
  network.settle();
  EXPECT_EQ(sum, kSenders * kEach * (kEach + 1) / 2);
}

TEST(Threads, WhatIsOnItsWayAtTheEndIsFreed) {
  TestNetwork network({.locales = 2, .cores = 2});
  Log log;
  const std::string tail(100'000, 'x');
  std::vector<std::string> tails;
  for (int to = 0; to < 4; ++to) {
    network.at(0).send(to, Note{&log, to}, nullptr);
    network.at(0).send_with_tail(to, Tailed{&tails, tail.size()}, tail.data(), tail.size(),
                                 nullptr);
    network.at(0).send(to, Note{&log, to}, nullptr);
  }
  network.at(0).flush();
  EXPECT_TRUE(log.empty());  // that nothing leaks is for the address sanitizer to say
}

}  // namespace
}  // namespace grappa::internal
