// The parts of `bench false-sharing`: the counters of the processor, grains that are dealt out, the
// two algorithms and what checks them.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <numeric>
#include <thread>
#include <vector>

#include "bench/false_sharing_study.hpp"
#include "bench/hardware_counters.hpp"
#include "bench/interleaved_grains.hpp"
#include "grappa/base/error.hpp"
#include "grappa/graph/algorithms/pagerank/pagerank.hpp"
#include "grappa/graph/algorithms/triangles/triangles.hpp"
#include "grappa/graph/structure/collect.hpp"
#include "grappa/graph/test_graphs.hpp"

namespace grappa::bench {
namespace {

constexpr std::int64_t kPage = 4096;

void touch_pages(std::int64_t pages) {
  const auto bytes = static_cast<std::size_t>(pages * kPage);
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  ::madvise(memory, bytes, MADV_NOHUGEPAGE);
  for (std::int64_t page = 0; page < pages; ++page)
    static_cast<volatile char*>(memory)[page * kPage] = 1;
  ::munmap(memory, bytes);
}

// The one event that machines without counters have, too.
TEST(HardwareCounters, CountWhatAllThreadsDo) {
  const HardwareCounters counters({counter_event("page-faults")});
  if (counters.names().empty())
    GTEST_SKIP() << "the system does not let us count: " << counters.missing().front().reason;
  const auto before = counters.read();
  touch_pages(100);
  const auto between = counters.read();
  std::thread one([] { touch_pages(300); });
  std::thread two([] { touch_pages(300); });
  one.join();
  two.join();
  const auto after = counters.read();
  EXPECT_GE(counted(before, between).at(0), 100);
  EXPECT_LT(counted(before, between).at(0), 300);
  EXPECT_GE(counted(between, after).at(0), 600);
}

TEST(HardwareCounters, SayWhichAreNotThereAndCountTheOthers) {
  const HardwareCounters counters(
      {{"impossible", 0xfffffff0, 0}, counter_event("page-faults"), {"neither", 0xfffffff0, 1}});
  std::vector<std::string> missing;
  for (const auto& each : counters.missing()) {
    missing.push_back(each.name);
    EXPECT_FALSE(each.reason.empty());
  }
  if (counters.names().empty()) GTEST_SKIP() << "the system does not let us count";
  EXPECT_EQ(counters.names(), std::vector<std::string>{"page-faults"});
  EXPECT_EQ(missing, (std::vector<std::string>{"impossible", "neither"}));
  EXPECT_EQ(counters.read().size(), 1);
}

TEST(HardwareCounters, OfAMachineWithoutAnyAreNone) {
  const HardwareCounters counters({{"impossible", 0xfffffff0, 0}});
  EXPECT_TRUE(counters.names().empty());
  EXPECT_EQ(counters.missing().size(), 1);
  EXPECT_TRUE(counted(counters.read(), counters.read()).empty());
}

TEST(HardwareCounters, KnowTheirNames) {
  for (const std::string& name : counter_names()) EXPECT_EQ(counter_event(name).name, name);
  EXPECT_THROW(counter_event("LLC-dreams"), UsageError);
}

TEST(HardwareCounters, ScaleUpWhatWasCountedAPartOfTheTime) {
  EXPECT_EQ(
      counted({{10, 100, 100}, {5, 7, 7}, {0, 0, 0}}, {{40, 200, 150}, {6, 27, 27}, {0, 50, 0}}),
      (std::vector<double>{60, 1, 0}));
}

/// Without the scan, which objects to pointers in closures.
Config cores(int count) {
  Config config = test::threads(count);
  config.scan_payloads = false;
  return config;
}

TEST(InterleavedGrains, AreAllRunOnceAndAreOfTheLengthAskedFor) {
  run(cores(2), [] {
    for (const std::int64_t n : {0, 1, 7, 8, 9, 1000}) {
      for (const std::int64_t grain : {1, 7, 8, 2000}) {
        std::vector<int> visits(static_cast<std::size_t>(n));
        std::atomic<int> wrong{0};
        for_interleaved_grains(
            n, grain,
            [=, visits = visits.data(), wrong = &wrong](std::int64_t first, std::int64_t last) {
              *wrong += first % grain != 0 || last != std::min(n, first + grain);
              for (std::int64_t v = first; v < last; ++v) ++visits[v];
            });
        EXPECT_EQ(wrong, 0);
        EXPECT_EQ(visits, std::vector<int>(static_cast<std::size_t>(n), 1)) << n << " " << grain;
      }
    }
  });
}

// As a loop divides them: the first half of the iterations to core 0.
TEST(InterleavedGrains, AreDealtOutInTurn) {
  std::vector<std::int64_t> firsts;
  const auto note = [&](std::int64_t first, std::int64_t) { firsts.push_back(first); };
  InterleavedGrains<decltype(note)> loop{50, 8, 4, 2, note};
  loop(0, 4);
  EXPECT_EQ(firsts, (std::vector<std::int64_t>{0, 16, 32, 48}));
  firsts.clear();
  loop(4, 8);
  EXPECT_EQ(firsts, (std::vector<std::int64_t>{8, 24, 40}));
}

TEST(LineArray, BeginsWhereItIsTold) {
  LineArray<double> array(100, 0);
  const auto off_the_line = [&] { return reinterpret_cast<std::uintptr_t>(array.data()) % 64; };
  EXPECT_EQ(off_the_line(), 0);
  array.set_offset(4);
  EXPECT_EQ(off_the_line(), 32);
  array.data()[99] = 1;
}

TEST(FalseSharingStudy, ComputesWhatTheKernelsDo) {
  for (const graph::test::TestGraph& each :
       {graph::test::generated("kron:9:8"), graph::test::generated("urand:8:3"),
        graph::test::generated("grid:9x11")}) {
    run(cores(2), [&] {
      const Owned<graph::Graph> owned = each.build();
      const graph::Graph& graph = *owned;
      const std::int64_t n = graph.vertex_count();
      auto ranks = graph::pagerank(graph, {.tolerance = 0, .max_iterations = 7});
      auto triangles = graph::triangles(graph, {.per_vertex = false});
      const auto counts = count_serially(graph);
      EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}), triangles.total);
      for (const ValueUpdate update : {ValueUpdate::kEachEdge, ValueUpdate::kOnce}) {
        FalseSharingStudy study(graph, 7, update);
        for (const std::int64_t offset : {0, 4}) {
          for (const std::int64_t grain : {7, 8, 64}) {
            study.place(offset);
            study.pagerank(grain);
            study.triangles(grain);
            EXPECT_NO_THROW(check_ranks(study.ranks(), graph::collect(*ranks.rank, n)));
            EXPECT_NO_THROW(check_counts(study.counts(), counts));
          }
        }
      }
    });
  }
}

TEST(FalseSharingStudy, RefusesResultsThatAreWrongAnywhere) {
  const std::vector<double> ranks = {0.25, 0.5, 0.25};
  const std::vector<std::uint64_t> counts = {0, 2, 1};
  check_ranks(ranks.data(), ranks);
  check_counts(counts.data(), counts);
  for (std::size_t v = 0; v < 3; ++v) {
    for (const double by : {3e-9, -3e-9, std::numeric_limits<double>::quiet_NaN()}) {
      std::vector<double> wrong = ranks;
      wrong[v] += by;
      EXPECT_THROW(check_ranks(wrong.data(), ranks), Error);
    }
    std::vector<std::uint64_t> wrong = counts;
    ++wrong[v];
    EXPECT_THROW(check_counts(wrong.data(), counts), Error);
  }
}

TEST(FalseSharingStudy, CountsEveryUpdateOfAnElement) {
  run(cores(2), [] {
    EXPECT_NO_THROW(update_own_elements(true, 1000));
    EXPECT_NO_THROW(update_own_elements(false, 1000));
  });
}

}  // namespace
}  // namespace grappa::bench
