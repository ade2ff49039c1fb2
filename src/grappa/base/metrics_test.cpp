#include "grappa/base/metrics.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "grappa/base/error.hpp"
#include "grappa/base/metric_names.hpp"

namespace grappa {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

const metrics::Counter kApples{"test.apples", "apples eaten"};
const metrics::Peak kDepth{"test.depth", "deepest nesting"};
const metrics::Histogram kSizes{"test.sizes", "sizes seen"};

// Declares a block the thread's own for the life of the object.
class OnCore {
 public:
  explicit OnCore(internal::MetricsBlock& block) { metrics::set_current(&block); }
  ~OnCore() { metrics::set_current(nullptr); }
  OnCore(const OnCore&) = delete;
  OnCore& operator=(const OnCore&) = delete;
};

MetricValue value_of(const MetricsSnapshot& snapshot, const std::string& name) {
  const auto found = std::find_if(snapshot.begin(), snapshot.end(),
                                  [&](const MetricValue& value) { return value.name == name; });
  if (found == snapshot.end()) throw Error("no metric " + name);
  return *found;
}

// Two cores with 3 and 4 apples, depths 9 and 5, and some sizes.
MetricsSnapshot sample() {
  internal::MetricsRegistry registry(2);
  {
    const OnCore core(registry.block(0));
    kApples.add();
    kApples.add(2);
    kDepth.raise_to(9);
    kDepth.raise_to(4);
    kSizes.record(0);
    kSizes.record(1);
  }
  const OnCore core(registry.block(1));
  kApples.add(4);
  kDepth.raise_to(5);
  kSizes.record(1000);
  return registry.snapshot();
}

TEST(Counter, IsSummedOverTheCores) {
  const MetricValue apples = value_of(sample(), "test.apples");
  EXPECT_EQ(apples.help, "apples eaten");
  EXPECT_EQ(apples.total, 7u);
  EXPECT_THAT(apples.per_core, ElementsAre(3, 4));
}

TEST(Counter, MayNameItsBlockItself) {
  internal::MetricsRegistry registry(1);
  kApples.add_to(registry.block(0), 5);
  EXPECT_EQ(kApples.value_in(registry.block(0)), 5u);
}

TEST(Peak, KeepsTheLargest) {
  const MetricValue depth = value_of(sample(), "test.depth");
  EXPECT_EQ(depth.total, 9u);
  EXPECT_THAT(depth.per_core, ElementsAre(9, 5));
}

TEST(Histogram, CountsByMagnitude) {
  const MetricValue sizes = value_of(sample(), "test.sizes");
  EXPECT_EQ(sizes.total, 3u);
  EXPECT_THAT(sizes.per_core, ElementsAre(2, 1));
  EXPECT_EQ(sizes.sum, 1001u);
  EXPECT_THAT(sizes.buckets, ElementsAre(1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1));
}

TEST(Histogram, BucketsArePowersOfTwo) {
  EXPECT_EQ(metrics::Histogram::bucket_of(0), 0);
  EXPECT_EQ(metrics::Histogram::bucket_of(1), 1);
  EXPECT_EQ(metrics::Histogram::bucket_of(2), 2);
  EXPECT_EQ(metrics::Histogram::bucket_of(3), 2);
  EXPECT_EQ(metrics::Histogram::bucket_of(4), 3);
  EXPECT_EQ(metrics::Histogram::bucket_of(UINT64_MAX), internal::kHistogramBuckets - 1);
}

// A thread that is no core may run any code of the library.
TEST(Metrics, UpdatesWithoutACoreGoNowhere) {
  internal::MetricsRegistry registry(1);
  EXPECT_EQ(metrics::current(), nullptr);
  kApples.add(3);
  kSizes.record(3);
  kDepth.raise_to(3);
  EXPECT_EQ(value_of(registry.snapshot(), "test.apples").total, 0u);
  EXPECT_EQ(value_of(registry.snapshot(), "test.sizes").total, 0u);
}

TEST(Metrics, TheCurrentBlockBelongsToTheThread) {
  internal::MetricsRegistry registry(2);
  const OnCore core(registry.block(0));
  EXPECT_EQ(metrics::current(), &registry.block(0));
  std::thread([&] {
    EXPECT_EQ(metrics::current(), nullptr);
    const OnCore other(registry.block(1));
    kApples.add(2);
  }).join();
  kApples.add();
  EXPECT_THAT(value_of(registry.snapshot(), "test.apples").per_core, ElementsAre(1, 2));
}

TEST(Metrics, MayBeReadWhileTheyAreWritten) {
  internal::MetricsRegistry registry(1);
  std::atomic<bool> started = false;
  std::thread writer([&] {
    const OnCore core(registry.block(0));
    for (int i = 0; i < 10'000; ++i) {
      kApples.add();
      started = true;
    }
  });
  while (!started) std::this_thread::yield();
  std::uint64_t before = 0;
  for (int i = 0; i < 50; ++i) {
    const std::uint64_t now = value_of(registry.snapshot(), "test.apples").total;
    EXPECT_GE(now, before);
    before = now;
  }
  writer.join();
  EXPECT_EQ(value_of(registry.snapshot(), "test.apples").total, 10'000u);
}

TEST(MetricsRegistry, BlocksDoNotShareCacheLines) {
  internal::MetricsRegistry registry(3);
  for (int core = 0; core < 3; ++core) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&registry.block(core)) % 64, 0u);
  }
}

TEST(MetricsRegistry, SeveralDoNotMeet) {
  internal::MetricsRegistry first(1);
  internal::MetricsRegistry second(1);
  const OnCore core(first.block(0));
  kApples.add();
  EXPECT_EQ(value_of(first.snapshot(), "test.apples").total, 1u);
  EXPECT_EQ(value_of(second.snapshot(), "test.apples").total, 0u);
}

TEST(MetricsRegistry, ResetsEverything) {
  internal::MetricsRegistry registry(1);
  const OnCore core(registry.block(0));
  kApples.add();
  kSizes.record(7);
  registry.reset();
  EXPECT_EQ(value_of(registry.snapshot(), "test.apples").total, 0u);
  EXPECT_EQ(value_of(registry.snapshot(), "test.sizes").sum, 0u);
}

TEST(MetricsRegistry, TravelsAsNumbers) {
  internal::MetricsRegistry registry(2);
  {
    const OnCore core(registry.block(1));
    kApples.add(5);
    kSizes.record(1000);
    kDepth.raise_to(8);
  }
  const MetricsSnapshot there =
      internal::MetricsRegistry::of_values(registry.values(), 2).snapshot();
  EXPECT_EQ(to_json(there), to_json(registry.snapshot()));
  EXPECT_THAT(value_of(there, "test.apples").per_core, ElementsAre(0, 5));
  EXPECT_THROW(internal::MetricsRegistry::of_values(registry.values(), 1), UsageError);
}

TEST(MetricsRegistry, NeedsACore) { EXPECT_THROW(internal::MetricsRegistry(0), UsageError); }

TEST(MetricsSnapshot, IsOrderedByName) {
  const MetricsSnapshot snapshot = sample();
  EXPECT_TRUE(
      std::is_sorted(snapshot.begin(), snapshot.end(),
                     [](const MetricValue& a, const MetricValue& b) { return a.name < b.name; }));
}

TEST(MetricsMerge, PutsTheCoresOfTheLocalesInARow) {
  const MetricsSnapshot both = merge({sample(), sample()});
  EXPECT_EQ(value_of(both, "test.apples").total, 14u);
  EXPECT_THAT(value_of(both, "test.apples").per_core, ElementsAre(3, 4, 3, 4));
  EXPECT_EQ(value_of(both, "test.depth").total, 9u);
  EXPECT_EQ(value_of(both, "test.sizes").sum, 2002u);
  EXPECT_EQ(value_of(both, "test.sizes").buckets.back(), 2u);
  EXPECT_TRUE(merge({}).empty());
}

TEST(MetricsMerge, RefusesDifferentSets) {
  MetricsSnapshot shorter = sample();
  shorter.pop_back();
  EXPECT_THROW(merge({sample(), shorter}), UsageError);
}

TEST(MetricsText, ShowsWhatIsNotZero) {
  const std::string text = to_text(sample());
  EXPECT_THAT(text, HasSubstr("test.apples"));
  EXPECT_THAT(text, HasSubstr("3..4"));
  EXPECT_THAT(text, HasSubstr("apples eaten"));
  EXPECT_THAT(text, HasSubstr("mean 333.7, median <2, 99% <1024"));
  EXPECT_THAT(to_text(internal::MetricsRegistry(1).snapshot()), Not(HasSubstr("test.apples")));
}

TEST(MetricsJson, HoldsEverything) {
  const auto json = nlohmann::json::parse(to_json(sample()));
  EXPECT_EQ(json["test.apples"]["kind"], "counter");
  EXPECT_EQ(json["test.apples"]["total"], 7);
  EXPECT_EQ(json["test.apples"]["per_core"], nlohmann::json({3, 4}));
  EXPECT_EQ(json["test.depth"]["kind"], "peak");
  EXPECT_EQ(json["test.sizes"]["count"], 3);
  EXPECT_EQ(json["test.sizes"]["sum"], 1001);
  EXPECT_EQ(json["test.sizes"]["buckets"],
            nlohmann::json::parse(
                R"([{"below":1,"count":1},{"below":2,"count":1},{"below":1024,"count":1}])"));
  EXPECT_EQ(nlohmann::json::parse(
                to_json(internal::MetricsRegistry(1).snapshot()))["test.apples"]["total"],
            0);
}

TEST(MetricNames, GivesDenseSlots) {
  internal::MetricNames names;
  EXPECT_EQ(names.add("b", "", MetricKind::kCounter), 0);
  EXPECT_EQ(names.add("c", "", MetricKind::kHistogram), 1);
  EXPECT_EQ(names.add("a", "", MetricKind::kPeak), 1 + internal::kHistogramSlots);
  EXPECT_EQ(names.sorted().front().name, "a");
}

// An inline variable of a header may be registered by several modules of a process.
TEST(MetricNames, TheSameMetricTwiceIsOne) {
  internal::MetricNames names;
  EXPECT_EQ(names.add("a", "help", MetricKind::kCounter), 0);
  EXPECT_EQ(names.add("a", "help", MetricKind::kCounter), 0);
  EXPECT_EQ(names.sorted().size(), 1u);
}

TEST(MetricNames, RefusesAmbiguity) {
  internal::MetricNames names;
  names.add("a", "", MetricKind::kCounter);
  EXPECT_THROW(names.add("a", "", MetricKind::kPeak), UsageError);
  EXPECT_THROW(names.add("", "", MetricKind::kPeak), UsageError);
}

TEST(MetricNames, SaysWhenTheSlotsAreUsedUp) {
  internal::MetricNames names;
  for (int i = 0; i < internal::kMetricSlots - internal::kHistogramSlots + 1; ++i) {
    names.add(fmt::format("m{}", i), "", MetricKind::kCounter);
  }
  try {
    names.add("late", "", MetricKind::kHistogram);
    FAIL() << "there was no room";
  } catch (const UsageError& e) {
    EXPECT_THAT(e.what(), HasSubstr("late needs 48 slots, 47 of 1024 are left"));
  }
  EXPECT_EQ(names.add("small", "", MetricKind::kCounter),
            internal::kMetricSlots - internal::kHistogramSlots + 1);
}

TEST(MetricNamesDeathTest, ADeclarationThatCannotBeEndsTheProgram) {
  EXPECT_EXIT(metrics::Peak("test.apples", "a second kind"), testing::ExitedWithCode(1),
              "grappa: fatal: metric test.apples is declared with two kinds");
}

}  // namespace
}  // namespace grappa
