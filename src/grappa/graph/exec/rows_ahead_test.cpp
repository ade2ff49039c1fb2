#include "grappa/graph/exec/rows_ahead.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "grappa/graph/test_graphs.hpp"

namespace grappa::graph {
namespace {

struct Entry {
  double distance;
  VertexId vertex;
};

TEST(RowsAhead, EachEntryOfARangeOnceAndInOrder) {
  run(grappa::test::threads(1), [] {
    // More vertices than any prefetch goes ahead.
    const Owned<Graph> graph(test::generated("grid:10x10").build());
    std::vector<Entry> entries;
    for (VertexId v = 0; v < 100; ++v) entries.push_back({0.5, 99 - v});
    const std::span<const Entry> list(entries);
    for (const std::int64_t first : {0, 7, 100}) {
      for (const std::int64_t last :
           {first, std::min<std::int64_t>(first + 1, 100), std::int64_t{100}}) {
        std::vector<std::int64_t> used;
        for_each_ahead(
            graph->out(), list, first, last, [&](std::int64_t i) { used.push_back(i); },
            &Entry::vertex);
        std::vector<std::int64_t> expected;
        for (std::int64_t i = first; i < last; ++i) expected.push_back(i);
        EXPECT_EQ(used, expected);
      }
    }
  });
}

}  // namespace
}  // namespace grappa::graph
