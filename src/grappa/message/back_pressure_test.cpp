// What is in flight stays bounded, whoever is slow, and what bounds it never stops the messages
// that others wait for.

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "grappa/message/aggregator.hpp"
#include "grappa/message/test_filler.hpp"
#include "grappa/message/test_network.hpp"

namespace grappa::internal {
namespace {

constexpr int kMany = 200'000;  // 25 MB

TEST(BackPressure, ATaskWaitsForASlowCoreOfItsLocale) {
  TestNetwork network({.cores = 2});
  TestEvent event(network.core(0));
  std::uint64_t sent = 0;
  std::uint64_t run = 0;
  network.spawn(0, filler_task(network, 1, kMany, &sent, &run), &event.share);
  for (int i = 0; i < 1000; ++i) network.step(0);
  EXPECT_EQ(run, 0u);
  EXPECT_GT(network.count(kSendWaits), 0u);
  // One megabyte and the chunk that is being filled.
  EXPECT_GT(sent * sizeof(Filler), 1u << 19);
  EXPECT_LT(sent * sizeof(Filler), (1u << 20) + 3 * 4096);
  network.settle();
  EXPECT_EQ(run, static_cast<std::uint64_t>(kMany));
  EXPECT_EQ(event.share.pending, 0);
}

TEST(BackPressure, ATaskWaitsForASlowLocaleAndItsCreditComesBack) {
  TestNetwork network({.locales = 2, .reorder = 0.3});
  TestEvent event(network.core(0));
  std::uint64_t sent = 0;
  std::uint64_t run = 0;
  network.spawn(0, filler_task(network, 1, kMany, &sent, &run), &event.share);
  for (int i = 0; i < 10'000; ++i) network.step(0);
  EXPECT_EQ(run, 0u);
  EXPECT_GT(sent * sizeof(Filler), 3u << 20);
  EXPECT_LT(sent * sizeof(Filler), (4u << 20) + 3 * 4096);
  network.settle();
  EXPECT_EQ(run, static_cast<std::uint64_t>(kMany));
}

TEST(BackPressure, TasksThatSendElsewhereGoOn) {
  TestNetwork network({.cores = 3});
  TestEvent event(network.core(0));
  std::uint64_t sent_to_slow = 0;
  std::uint64_t run_by_slow = 0;
  std::uint64_t sent = 0;
  std::uint64_t run = 0;
  network.spawn(0, filler_task(network, 1, kMany, &sent_to_slow, &run_by_slow), &event.share);
  network.spawn(0, filler_task(network, 2, kMany, &sent, &run), &event.share);
  for (int i = 0; i < 100'000 && run < kMany; ++i) {
    network.step(0);
    network.step(2);
    if (sent == kMany) network.at(0).flush_to(2);
  }
  EXPECT_EQ(run, static_cast<std::uint64_t>(kMany));
  EXPECT_EQ(run_by_slow, 0u);
  network.settle();
  EXPECT_EQ(run_by_slow, static_cast<std::uint64_t>(kMany));
}

/// Bounces between cores until its steps are used up; every other one leaves a child, too.
struct Bounce {
  std::uint64_t* run;
  int steps;
  int width;
  std::uint64_t content[8];
  void operator()(RunContext& context) const {
    ++*run;
    if (steps == 0) return;
    const int cores = context.core.locale.core_count();
    for (int i = 0; i < width; ++i) {
      const int to = (context.core.id + 1 + i) % cores;
      context.core.messages->send(to, Bounce{run, steps - 1, width, {}}, context.scope);
    }
  }
};

class Storms : public testing::TestWithParam<TestNetwork::Shape> {};
INSTANTIATE_TEST_SUITE_P(
    Shapes, Storms,
    testing::Values(TestNetwork::Shape{.cores = 1, .chunk_bytes = 1024},
                    TestNetwork::Shape{.cores = 3, .chunk_bytes = 1024},
                    TestNetwork::Shape{.locales = 4, .chunk_bytes = 1024, .reorder = 0.5},
                    TestNetwork::Shape{.locales = 2, .cores = 2, .chunk_bytes = 65536}),
    [](const auto& shape) {
      return "Locales" + std::to_string(shape.param.locales) + "Cores" +
             std::to_string(shape.param.cores);
    });

TEST_P(Storms, HandlersThatSendNeverWait) {
  // Two messages for each: 2^18 - 1 in all, in far more bytes than all credits.
  TestNetwork network(GetParam());
  TestEvent event(network.core(0));
  std::uint64_t run = 0;
  network.at(0).send(0, Bounce{&run, 17, 2, {}}, &event.share);
  network.settle();
  EXPECT_EQ(run, (std::uint64_t{1} << 18) - 1);
  EXPECT_EQ(event.share.pending, 0);
}

TEST_P(Storms, TasksAndHandlersTogether) {
  TestNetwork network(GetParam());
  TestEvent event(network.core(0));
  std::uint64_t run = 0;
  const int cores = network.core_count();
  constexpr int kTasks = 20;
  constexpr int kSends = 50;
  for (int i = 0; i < kTasks; ++i) {
    network.spawn(
        0,
        [&network, &run, &event, cores] {
          for (int j = 0; j < kSends; ++j) {
            network.core(0).messages->send(j % cores, Bounce{&run, 5, 2, {}}, &event.share);
          }
        },
        &event.share);
  }
  network.settle();
  EXPECT_EQ(run, std::uint64_t{kTasks} * kSends * 63);
  EXPECT_EQ(event.share.pending, 0);
}

TEST(BackPressure, WhatHandlersSendBeyondTheirCreditIsCounted) {
  TestNetwork network({.cores = 2});
  TestEvent event(network.core(0));
  std::uint64_t run = 0;
  // Half of the 2^17 messages at the leaves, 6 MB, go to the other core.
  network.at(0).send(0, Bounce{&run, 17, 2, {}}, &event.share);
  network.settle();
  EXPECT_EQ(run, (std::uint64_t{1} << 18) - 1);
  EXPECT_GT(network.count(kOverflowChunks), 0u);
  EXPECT_EQ(network.count(kSendWaits), 0u);
}

}  // namespace
}  // namespace grappa::internal
