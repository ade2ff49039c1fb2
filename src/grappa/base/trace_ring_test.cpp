#include "grappa/base/trace_ring.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace grappa::internal {
namespace {

constexpr std::size_t kEventBytes = 32;

TraceEvent mark(std::uint64_t number) {
  return {.time_ns = number,
          .kind = TraceKind::kMark,
          .name = "number",
          .first = number,
          .second = -static_cast<std::int64_t>(number)};
}

TEST(TraceRing, GivesBackWhatItWasGiven) {
  TraceRing ring(1 << 16);
  ring.push({.time_ns = 5,
             .kind = TraceKind::kSpan,
             .activity = Activity::kNetwork,
             .name = &typeid(int),
             .first = 7,
             .second = 9});
  ring.push(mark(3));
  std::vector<TraceEvent> events;
  EXPECT_EQ(ring.read(events), 0u);
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].time_ns, 5u);
  EXPECT_EQ(events[0].activity, Activity::kNetwork);
  ASSERT_NE(events[0].name.type(), nullptr);
  EXPECT_EQ(*events[0].name.type(), typeid(int));
  EXPECT_EQ(events[0].first, 7u);
  EXPECT_EQ(events[0].second, 9);
  EXPECT_EQ(events[1].kind, TraceKind::kMark);
  EXPECT_STREQ(events[1].name.text(), "number");
  EXPECT_EQ(events[1].second, -3);
}

TEST(TraceRing, TheOldestAreLost) {
  TraceRing ring(100 * kEventBytes);
  for (std::uint64_t i = 0; i < 250; ++i) ring.push(mark(i));
  std::vector<TraceEvent> events;
  EXPECT_EQ(ring.read(events), 150u);
  EXPECT_EQ(ring.lost(), 150u);
  ASSERT_EQ(events.size(), 100u);
  EXPECT_EQ(events.front().first, 150u);
  EXPECT_EQ(events.back().first, 249u);
}

TEST(TraceRing, ASpanGrowsWhileItIsThere) {
  TraceRing ring(4 * kEventBytes);
  ring.push({.time_ns = 10, .kind = TraceKind::kSpan, .name = {}, .first = 5, .second = 1});
  EXPECT_TRUE(ring.last_span_ends_at(15));
  EXPECT_FALSE(ring.last_span_ends_at(16));
  ring.extend_last_span(30, 2);
  std::vector<TraceEvent> events;
  ring.read(events);
  EXPECT_EQ(events[0].first, 20u);
  EXPECT_EQ(events[0].second, 3);
  for (std::uint64_t i = 0; i < 4; ++i) ring.push(mark(i));
  EXPECT_FALSE(ring.last_span_ends_at(30));  // overwritten
}

TEST(TraceRing, WhoeverReadsMeanwhileSeesWholeEvents) {
  TraceRing ring(64 * kEventBytes);
  std::atomic<bool> stop{false};
  std::thread core([&] {
    for (std::uint64_t i = 0; !stop.load(); ++i) ring.push(mark(i));
  });
  std::vector<TraceEvent> events;
  for (int i = 0; i < 5'000; ++i) {
    events.clear();
    const std::uint64_t lost = ring.read(events);
    for (std::size_t k = 0; k < events.size(); ++k) {
      ASSERT_EQ(events[k].first, lost + k);
      ASSERT_EQ(events[k].time_ns, lost + k);
      ASSERT_EQ(events[k].second, -static_cast<std::int64_t>(lost + k));
    }
  }
  stop = true;
  core.join();
}

}  // namespace
}  // namespace grappa::internal
