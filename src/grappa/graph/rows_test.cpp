#include "grappa/graph/rows.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "grappa/graph/io/parallel_for.hpp"

namespace grappa::graph {
namespace {

using Direction = RowSorter::Direction;

struct Rows {
  std::vector<std::uint64_t> offsets;
  std::vector<VertexId> targets;
  std::int64_t self_loops = 0;
  friend bool operator==(const Rows&, const Rows&) = default;
};

Rows sorted(const RowSorter::Request& request, std::int64_t parts) {
  Rows rows;
  RowSorter sorter(request, parts, serial_for());
  rows.offsets.resize(static_cast<std::size_t>(request.last - request.first) + 1, 99);
  sorter.sort(rows.offsets);
  rows.targets.resize(static_cast<std::size_t>(sorter.arc_count()));
  sorter.write(rows.offsets, rows.targets);
  rows.self_loops = sorter.self_loops();
  return rows;
}

/// The same by sorting a list of arcs.
Rows expected(const RowSorter::Request& request) {
  std::vector<Edge> arcs;
  for (const auto list : request.edges) {
    for (const Edge e : list) {
      if (request.direction != Direction::kReverse) arcs.push_back(e);
      if (request.direction == Direction::kReverse ||
          (request.direction == Direction::kBoth && e.source != e.target))
        arcs.push_back({e.target, e.source});
    }
  }
  std::ranges::sort(arcs);
  if (request.simplify) {
    std::erase_if(arcs, [](const Edge& e) { return e.source == e.target; });
    arcs.erase(std::unique(arcs.begin(), arcs.end()), arcs.end());
  }
  Rows rows;
  auto at = arcs.begin();
  for (std::int64_t row = request.first; row < request.last; ++row) {
    rows.offsets.push_back(static_cast<std::uint64_t>(at - arcs.begin()));
    for (; at != arcs.end() && at->source == row; ++at) {
      rows.targets.push_back(at->target);
      rows.self_loops += at->target == row;
    }
  }
  rows.offsets.push_back(arcs.size());
  return rows;
}

std::vector<Edge> random_edges(std::size_t count, std::uint32_t first, std::uint32_t last,
                               std::uint32_t vertices) {
  std::mt19937 random(7);
  std::vector<Edge> edges(count);
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  for (Edge& e : edges) e = {first + below(last - first), below(vertices)};
  return edges;
}

TEST(RowSorter, SortsAFewEdges) {
  const std::vector<Edge> edges = {{2, 0}, {0, 2}, {0, 1}, {2, 2}};
  const Rows rows = sorted({.edges = {edges}, .last = 4, .vertices = 4}, 1);
  EXPECT_EQ(rows.offsets, (std::vector<std::uint64_t>{0, 2, 2, 4, 4}));
  EXPECT_EQ(rows.targets, (std::vector<VertexId>{1, 2, 0, 2}));
  EXPECT_EQ(rows.self_loops, 1);
}

TEST(RowSorter, NothingToSort) {
  EXPECT_EQ(sorted({.edges = {}, .last = 0, .vertices = 0}, 4).offsets,
            (std::vector<std::uint64_t>{0}));
  EXPECT_EQ(sorted({.edges = {}, .last = 3, .vertices = 3}, 4).offsets,
            (std::vector<std::uint64_t>{0, 0, 0, 0}));
}

TEST(RowSorter, ManyBucketsInEveryDirection) {
  const std::vector<Edge> edges = random_edges(300000, 0, 20000, 20000);
  for (const Direction direction : {Direction::kForward, Direction::kReverse, Direction::kBoth}) {
    for (const bool simplify : {false, true}) {
      const RowSorter::Request request{.edges = {edges},
                                       .direction = direction,
                                       .last = 20000,
                                       .vertices = 20000,
                                       .simplify = simplify};
      EXPECT_EQ(sorted(request, 5), expected(request));
    }
  }
}

TEST(RowSorter, DuplicatesOfSmallGraphs) {
  const std::vector<Edge> edges = random_edges(5000, 0, 50, 50);
  for (const bool simplify : {false, true}) {
    const RowSorter::Request request{.edges = {edges},
                                     .direction = Direction::kBoth,
                                     .last = 50,
                                     .vertices = 50,
                                     .simplify = simplify};
    EXPECT_EQ(sorted(request, 3), expected(request));
  }
}

TEST(RowSorter, SomeRowsOfALargeGraph) {
  // As on one of several locales: rows 64,000 … of 4 billion vertices, from several lists.
  const std::uint32_t all = kMaxVertices;
  const std::vector<Edge> edges = random_edges(100000, 64000, 70000, all);
  const std::span<const Edge> list = edges;
  const RowSorter::Request request{
      .edges = {list.first(10), list.subspan(10, 0), list.subspan(10, 60000), list.subspan(60010)},
      .first = 64000,
      .last = 70000,
      .vertices = all};
  EXPECT_EQ(sorted(request, 7), expected(request));
}

TEST(RowSorter, OneRowHasAllArcs) {
  std::vector<Edge> edges;
  for (std::uint32_t v = 100000; v > 0; --v) edges.push_back({v % 2 == 0 ? 5u : v - 1, 5});
  const RowSorter::Request request{
      .edges = {edges}, .direction = Direction::kBoth, .last = 100000, .vertices = 100000};
  EXPECT_EQ(sorted(request, 4), expected(request));
}

}  // namespace
}  // namespace grappa::graph
