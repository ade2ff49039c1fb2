#include "grappa/base/core_recorder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "grappa/base/metrics.hpp"

namespace grappa::internal {
namespace {

void pass_us(std::uint64_t us) {
  for (const std::uint64_t end = now_ns() + us * 1000; now_ns() < end;) cpu_relax();
}

std::vector<TraceEvent> spans_of(const CoreRecorder& recorder) {
  std::vector<TraceEvent> events;
  recorder.ring()->read(events);
  std::erase_if(events, [](const TraceEvent& e) { return e.kind != TraceKind::kSpan; });
  return events;
}

TEST(CoreRecorder, StretchesOfTheSameFollowOneAnotherAsOne) {
  CoreRecorder recorder(1 << 16);
  recorder.start(Activity::kScheduling);
  pass_us(5);
  for (int i = 0; i < 10; ++i) {
    recorder.enter(Activity::kProgram);
    pass_us(5);
    recorder.name("loop");
    recorder.enter(Activity::kScheduling);  // for a moment
  }
  recorder.enter(Activity::kProgram, "batch", 7);
  pass_us(5);
  recorder.stop();
  const std::vector<TraceEvent> spans = spans_of(recorder);
  // A busy machine may interrupt what is short.
  ASSERT_LE(spans.size(), 10u);
  ASSERT_GE(spans.size(), 3u);
  EXPECT_EQ(spans[0].activity, Activity::kScheduling);
  EXPECT_EQ(spans[1].name, TraceName("loop"));
  EXPECT_EQ(spans.back().name, TraceName("batch"));
  EXPECT_EQ(spans.back().second, 7);
  for (std::size_t i = 1; i < spans.size(); ++i)
    EXPECT_EQ(spans[i].time_ns, spans[i - 1].time_ns + spans[i - 1].first);
}

TEST(CoreRecorder, IdlenessOfACoreLastsWhileItsThreadIsElsewhere) {
  CoreRecorder recorder(0);
  recorder.start(Activity::kElsewhere);
  recorder.arrive();
  EXPECT_EQ(recorder.current(), Activity::kScheduling);
  recorder.rest();
  EXPECT_EQ(recorder.current(), Activity::kIdle);
  recorder.leave();
  EXPECT_EQ(recorder.current(), Activity::kElsewhere);
  recorder.arrive();
  EXPECT_EQ(recorder.current(), Activity::kIdle);
  recorder.leave();
  recorder.park();
  recorder.wake(false);
  EXPECT_EQ(recorder.current(), Activity::kElsewhere);
  recorder.arrive();
  EXPECT_EQ(recorder.current(), Activity::kIdle);
}

TEST(CoreRecorder, MetricsHaveAllOfTheTime) {
  MetricsRegistry metrics(1);
  metrics::set_current(&metrics.block(0));
  CoreRecorder recorder(0);
  const std::uint64_t start = now_ns();
  recorder.start(Activity::kScheduling);
  const std::uint64_t started = now_ns();
  pass_us(100);
  recorder.count_tasks(9, 4);
  recorder.count_tasks(2, 2);
  recorder.account();
  recorder.enter(Activity::kParked);
  pass_us(100);
  const std::uint64_t before_end = now_ns();
  recorder.account();
  const std::uint64_t end = now_ns();
  metrics::set_current(nullptr);
  std::uint64_t sum = 0;
  for (const MetricValue& value : metrics.snapshot()) {
    if (value.name.starts_with("time.")) sum += value.total;
    if (value.name == "tasking.most_live") {
      EXPECT_EQ(value.total, 9u);
    } else if (value.name == "tasking.most_suspended") {
      EXPECT_EQ(value.total, 4u);
    }
  }
  EXPECT_GE(sum, before_end - started);
  EXPECT_LE(sum, end - start);
}

}  // namespace
}  // namespace grappa::internal
