#include "grappa/graph/exec/level_division.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <vector>

#include "grappa/graph/test_graphs.hpp"

namespace grappa::graph {
namespace {

TEST(LevelDivision, MoreEdgesAreSharedOutMore) {
  run(grappa::test::threads(2), [] {
    EXPECT_EQ(division_of(1000), Division::kNone);
    EXPECT_EQ(division_of(5000), Division::kInOrder);
    EXPECT_EQ(division_of(1'000'000), Division::kByGrains);
  });
  run(grappa::test::threads(1), [] {
    EXPECT_EQ(division_of(5000), Division::kNone);
    // The loop must let go of the core now and then.
    EXPECT_EQ(division_of(1'000'000), Division::kByGrains);
  });
}

TEST(LevelDivision, NobodyIsAloneWhereVisitsComeFromElsewhere) {
  const auto as_seen = [](Division division, bool visits_arrive = locale_count() > 1) {
    Division seen{};
    with_division(division, visits_arrive, [&](auto constant) { seen = constant; });
    return seen;
  };
  run(grappa::test::threads(2), [=] { EXPECT_EQ(as_seen(Division::kNone), Division::kNone); });
  run(grappa::test::cluster(2, 1), [=] {
    for (const auto division : {Division::kNone, Division::kByGrains})
      EXPECT_EQ(as_seen(division), Division::kNone);
  });
  run(grappa::test::cluster(2, 2), [=] {
    EXPECT_EQ(as_seen(Division::kNone), Division::kByGrains);
    EXPECT_EQ(as_seen(Division::kNone, false), Division::kNone);
    EXPECT_EQ(as_seen(Division::kInOrder), Division::kInOrder);
    EXPECT_EQ(as_seen(Division::kByGrains), Division::kByGrains);
  });
}

std::array<std::atomic<int>, 1100> times;  // how often an entry came

TEST(LevelDivision, EachEntryOnce) {
  for (const int cores : {1, 2, 3}) {
    run(grappa::test::threads(cores), [] {
      for (const auto division : {Division::kNone, Division::kInOrder, Division::kByGrains}) {
        for (const std::int64_t count : {0, 1, 2, 64, 1000}) {
          for (auto& n : times) n = 0;
          for_window(10, 10 + count, division, [](std::int64_t first, std::int64_t last) {
            for (std::int64_t i = first; i < last; ++i) ++times[static_cast<std::size_t>(i)];
          });
          for (std::int64_t i = 0; i < std::ssize(times); ++i)
            EXPECT_EQ(times[static_cast<std::size_t>(i)], i >= 10 && i < 10 + count);
        }
      }
    });
  }
}

TEST(LevelDivision, WhatIsFoundInOrderComesInOrder) {
  run(grappa::test::threads(2), [] {
    CoreLists<VertexId> found;
    std::vector<VertexId> queue(100);
    std::int64_t tail = 3;
    // As if both cores found three vertices each.
    for (const int core : {1, 0}) {
      for (VertexId v = 0; v < 3; ++v)
        found.of(core).push_back(static_cast<VertexId>(10 * core) + v);
    }
    append_lists(found, tail, queue.data());
    EXPECT_EQ(tail, 9);
    EXPECT_EQ(std::vector<VertexId>(queue.begin() + 3, queue.begin() + 9),
              (std::vector<VertexId>{0, 1, 2, 10, 11, 12}));
    EXPECT_EQ(found.size(), 0);
  });
}

TEST(LevelDivision, WritersFillTheQueueOrTheList) {
  run(grappa::test::threads(1), [] {
    CoreLists<VertexId> found;
    std::vector<VertexId> queue(10);
    std::int64_t tail = 0;
    LevelWriter<Division::kByGrains>(tail, queue.data(), found).push(7);
    EXPECT_EQ(tail, 1);
    EXPECT_EQ(queue.front(), 7U);
    LevelWriter<Division::kInOrder>(tail, queue.data(), found).push(8);
    EXPECT_EQ(tail, 1);
    EXPECT_EQ(found.mine(), std::vector<VertexId>{8});
  });
}

}  // namespace
}  // namespace grappa::graph
