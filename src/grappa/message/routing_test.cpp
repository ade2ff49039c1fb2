// Messages between locales that reach one another through a third: everything arrives once, events
// end, answers find their way back, and buffers grow as the square root of the number of locales.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "grappa/message/aggregator.hpp"
#include "grappa/message/test_filler.hpp"
#include "grappa/message/test_network.hpp"

namespace grappa::internal {
namespace {

/// How often each (sender, receiver) pair met.
struct Meetings {
  explicit Meetings(int count) : cores(count), counts(static_cast<std::size_t>(count * count)) {}
  void meet(int from, int to) { ++counts[static_cast<std::size_t>(from * cores + to)]; }
  bool all(int times) const {
    return std::all_of(counts.begin(), counts.end(), [&](int n) { return n == times; });
  }
  int cores;
  std::vector<int> counts;
};

struct Visit {
  Meetings* meetings;
  int from;
  void operator()(RunContext& context) const { meetings->meet(from, context.core.id); }
};

/// Of a size that is no multiple of 8.
struct OddVisit {
  std::array<unsigned char, 21> bytes;
  OddVisit(Meetings* meetings, int from) : bytes{} {
    std::memcpy(bytes.data(), &meetings, sizeof meetings);
    std::memcpy(bytes.data() + 8, &from, sizeof from);
    bytes[20] = 0x5a;
  }
  void operator()(RunContext& context) const {
    Meetings* meetings = nullptr;
    int from = 0;
    std::memcpy(&meetings, bytes.data(), sizeof meetings);
    std::memcpy(&from, bytes.data() + 8, sizeof from);
    if (bytes[20] == 0x5a) meetings->meet(from, context.core.id);
  }
};

/// Followed by a tail whose bytes are all `from`.
struct LongVisit {
  Meetings* meetings;
  std::int32_t from;
  std::uint32_t tail_bytes;
  void operator()(RunContext& context) {
    const auto* tail = reinterpret_cast<const char*>(this + 1);
    const bool whole =
        std::all_of(tail, tail + tail_bytes, [&](char c) { return c == static_cast<char>(from); });
    if (whole) meetings->meet(from, context.core.id);
  }
};

/// Makes its receiver visit all cores, in three ways.
struct Tour {
  Meetings* meetings;
  int rounds;
  void operator()(RunContext& context) const {
    Aggregator& messages = *context.core.messages;
    const int me = context.core.id;
    const std::string tail(100, static_cast<char>(me));
    for (int round = 0; round < rounds; ++round) {
      for (int i = 0; i < meetings->cores; ++i) {
        const int to = (me + i) % meetings->cores;
        messages.send(to, Visit{meetings, me}, context.scope);
        messages.send(to, OddVisit(meetings, me), context.scope);
      }
    }
    for (int to = 0; to < meetings->cores; ++to) {
      messages.send_with_tail(to, LongVisit{meetings, me, static_cast<std::uint32_t>(tail.size())},
                              tail.data(), tail.size(), context.scope);
    }
  }
};

class Routes : public testing::TestWithParam<TestNetwork::Shape> {};
INSTANTIATE_TEST_SUITE_P(
    Shapes, Routes,
    testing::Values(
        TestNetwork::Shape{.locales = 4, .cores = 3, .reorder = 0.4, .route = RoutePolicy::kTwoHop},
        TestNetwork::Shape{.locales = 7, .cores = 2, .reorder = 0.4, .route = RoutePolicy::kTwoHop},
        TestNetwork::Shape{.locales = 16, .chunk_bytes = 1024, .route = RoutePolicy::kTwoHop},
        TestNetwork::Shape{.locales = 64, .reorder = 0.2, .route = RoutePolicy::kTwoHop},
        TestNetwork::Shape{.locales = 64, .reorder = 0.2, .route = RoutePolicy::kFlat}),
    [](const auto& shape) {
      return std::string(shape.param.route == RoutePolicy::kFlat ? "Flat" : "TwoHop") +
             std::to_string(shape.param.locales) + "x" + std::to_string(shape.param.cores);
    });

TEST_P(Routes, EveryMessageArrivesOnceAndItsEventEnds) {
  TestNetwork network(GetParam());
  const int cores = network.core_count();
  Meetings meetings(cores);
  TestEvent event(network.core(1));
  constexpr int kRounds = 4;
  for (int core = 0; core < cores; ++core)
    network.at(1).send(core, Tour{&meetings, kRounds}, &event.share);
  network.settle();
  EXPECT_TRUE(meetings.all(2 * kRounds + 1));
  EXPECT_EQ(event.share.pending, 0);
  EXPECT_EQ(event.errors.count, 0);
  EXPECT_EQ(network.packets_in_flight(), 0u);
}

TEST_P(Routes, OnlyWhatIsNotReachedDirectlyIsForwarded) {
  TestNetwork network(GetParam());
  const Route route(GetParam().route, GetParam().locales);
  const int cores = network.core_count();
  Meetings meetings(cores);
  std::uint64_t indirect = 0;
  for (int from = 0; from < cores; ++from) {
    for (int to = 0; to < cores; ++to) {
      network.at(from).send(to, Visit{&meetings, from}, nullptr);
      indirect += !route.is_direct(from / GetParam().cores, to / GetParam().cores);
    }
  }
  network.settle();
  EXPECT_TRUE(meetings.all(1));
  EXPECT_EQ(network.count(kMessagesForwarded), indirect);
  EXPECT_EQ(indirect == 0, GetParam().route == RoutePolicy::kFlat);
}

struct Squares {
  std::vector<std::uint64_t>* answers;
  std::uint64_t count;
  void operator()(RunContext& context);
};
struct SquaresAnswer {
  std::vector<std::uint64_t>* answers;
  std::uint64_t count;
  void operator()(RunContext&) const {
    const auto* values = reinterpret_cast<const std::uint64_t*>(this + 1);
    answers->insert(answers->end(), values, values + count);
  }
};
void Squares::operator()(RunContext& context) {
  auto* values = reinterpret_cast<std::uint64_t*>(this + 1);
  for (std::uint64_t i = 0; i < count; ++i) values[i] *= values[i];
  context.core.messages->send_back<SquaresAnswer>(context);
}

TEST_P(Routes, WholeChunksAreAnsweredAcrossThem) {
  TestNetwork network(GetParam());
  const int cores = network.core_count();
  std::vector<std::uint64_t> answers;
  const std::uint64_t sizes[] = {3, 100};
  for (const std::uint64_t count : sizes) {
    for (int to = 0; to < cores; ++to) {
      Aggregator& messages = network.at(0);
      Chunk* chunk = messages.acquire_chunk(to);
      std::byte* place = Aggregator::message_of(chunk);
      new (place) Squares{&answers, count};
      for (std::uint64_t i = 0; i < count; ++i)
        new (place + sizeof(Squares) + 8 * i) std::uint64_t(i);
      messages.send_chunk<Squares>(to, chunk, sizeof(Squares) + 8 * count, nullptr);
    }
  }
  network.settle();
  ASSERT_EQ(answers.size(), static_cast<std::size_t>(cores) * (sizes[0] + sizes[1]));
  const std::uint64_t sum = std::accumulate(answers.begin(), answers.end(), std::uint64_t{0});
  EXPECT_EQ(sum, static_cast<std::uint64_t>(cores) * (0 + 1 + 4 + 328'350));
}

// ---- buffers

TEST(RoutingBuffers, GrowAsTheSquareRootOfTheLocales) {
  for (const int locales : {16, 64, 256}) {
    TestNetwork network({.locales = locales, .route = RoutePolicy::kTwoHop});
    const auto root = static_cast<std::size_t>(std::sqrt(locales));
    // Row and column, and a lane for each of both that forwards.
    EXPECT_LE(network.core(0).messages->lane_count(), 4 * root) << locales;
  }
}

TEST(RoutingBuffers, ChunksShrinkWhenThereAreVeryMany) {
  TestNetwork flat({.locales = 1024, .chunk_bytes = 65536});
  const Aggregator& many = *flat.core(0).messages;
  EXPECT_LE(many.lane_count() * many.chunk_bytes(), 32u << 20);
  TestNetwork grid({.locales = 1024, .chunk_bytes = 65536, .route = RoutePolicy::kTwoHop});
  EXPECT_GT(grid.core(0).messages->chunk_bytes(), 2 * many.chunk_bytes());
}

// ---- back-pressure

constexpr int kFlood = 100'000;  // 13 MB

// Of nine locales, 0 reaches 8 through 2.
TEST(RoutingBackPressure, ASlowReceiverHoldsItsSenderThroughTheOneThatForwards) {
  constexpr std::size_t kInFlight = 512 << 10;  // shared by the lanes
  TestNetwork network(
      {.locales = 9, .reorder = 0.3, .route = RoutePolicy::kTwoHop, .in_flight_bytes = kInFlight});
  ASSERT_EQ(Route(RoutePolicy::kTwoHop, 9).next_hop(0, 8), 2);
  TestEvent event(network.core(0));
  std::uint64_t sent = 0;
  std::uint64_t run = 0;
  network.spawn(0, filler_task(network, 8, kFlood, &sent, &run), &event.share);
  for (int i = 0; i < 20'000; ++i) {
    network.step(0);
    if (!network.step(2)) network.at(2).flush();
    network.clock().advance_to(network.clock().now() + 100);
  }
  EXPECT_EQ(run, 0u);
  EXPECT_GT(sent, 0u);
  // What is on its way on either hop, with some chunks in the making.
  EXPECT_LT(sent * sizeof(Filler), 2 * kInFlight);
  EXPECT_GT(network.count(kScattersDelayed), 0u);
  // Meanwhile what is for the one that forwards gets through.
  std::uint64_t run_by_forwarder = 0;
  network.at(0).send(2, Filler{&run_by_forwarder, {}}, nullptr);
  for (int i = 0; i < 1000; ++i) {
    network.step(0);
    network.at(0).flush();
    network.step(2);
    network.clock().advance_to(network.clock().now() + 100);
  }
  EXPECT_EQ(run_by_forwarder, 1u);
  network.settle();
  EXPECT_EQ(run, static_cast<std::uint64_t>(kFlood));
  EXPECT_EQ(event.share.pending, 0);
}

TEST(RoutingBackPressure, EveryCoreFloodsEveryOther) {
  TestNetwork network({.locales = 16,
                       .chunk_bytes = 1024,
                       .reorder = 0.3,
                       .route = RoutePolicy::kTwoHop,
                       .in_flight_bytes = 64 << 10});
  const int cores = network.core_count();
  std::vector<std::unique_ptr<TestEvent>> events;
  std::uint64_t run = 0;
  constexpr int kEach = 200;
  for (int from = 0; from < cores; ++from) {
    events.push_back(std::make_unique<TestEvent>(network.core(from)));
    network.spawn(
        from,
        [&network, &run, from, cores] {
          for (int i = 0; i < kEach * cores; ++i)
            network.core(from).messages->send(i % cores, Filler{&run, {}}, nullptr);
        },
        &events.back()->share);
  }
  network.settle();
  EXPECT_EQ(run, static_cast<std::uint64_t>(kEach) * 16 * 16);
  EXPECT_GT(network.count(kSendWaits), 0u);
  EXPECT_GT(network.count(kScattersDelayed), 0u);
}

}  // namespace
}  // namespace grappa::internal
