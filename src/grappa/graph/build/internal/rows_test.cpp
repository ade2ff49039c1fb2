#include "grappa/graph/build/internal/rows.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "grappa/io/parallel_for.hpp"

namespace grappa::graph {
namespace {

using Direction = RowSorter::Direction;

struct Rows {
  std::vector<std::uint64_t> offsets;
  std::vector<VertexId> targets;
  std::vector<double> weights;  // empty without
  std::int64_t self_loops = 0;
  friend bool operator==(const Rows&, const Rows&) = default;
};

Rows sorted(const RowSorter::Request& request, std::int64_t parts) {
  Rows rows;
  const auto sorter = RowSorter::create(request, parts, serial_for());
  rows.offsets.resize(static_cast<std::size_t>(request.last - request.first) + 1, 99);
  sorter->sort(rows.offsets);
  const auto arcs = static_cast<std::size_t>(sorter->arc_count());
  rows.targets.resize(arcs);
  std::vector<std::byte> weights(arcs * weight_bytes(request.weight_type));
  sorter->write(rows.offsets, rows.targets, weights);
  rows.self_loops = sorter->self_loops();
  if (request.weight_type == WeightType::kNone) return rows;
  visit_weights(request.weight_type, [&]<class W>(W) {
    for (std::size_t i = 0; i < arcs; ++i) {
      W weight;
      std::memcpy(&weight, weights.data() + i * sizeof(W), sizeof(W));
      rows.weights.push_back(static_cast<double>(weight));
    }
  });
  return rows;
}

/// The same by sorting a list of arcs.
Rows expected(const RowSorter::Request& request) {
  struct Arc {
    Edge edge;
    double weight;
  };
  const bool weighted = request.weight_type != WeightType::kNone;
  std::vector<Arc> arcs;
  for (std::size_t l = 0; l < request.edges.size(); ++l) {
    for (std::size_t i = 0; i < request.edges[l].size(); ++i) {
      const Edge e = request.edges[l][i];
      const double weight = weighted ? request.weights[l][i] : 1;
      if (request.direction != Direction::kReverse) arcs.push_back({e, weight});
      if (request.direction == Direction::kReverse ||
          (request.direction == Direction::kBoth && e.source != e.target))
        arcs.push_back({{e.target, e.source}, weight});
    }
  }
  std::ranges::sort(arcs, {}, [](const Arc& a) { return std::pair(a.edge, a.weight); });
  if (request.simplify) {
    std::erase_if(arcs, [](const Arc& a) { return a.edge.source == a.edge.target; });
    const auto rest = std::ranges::unique(arcs, {}, &Arc::edge);
    arcs.erase(rest.begin(), rest.end());
  }
  Rows rows;
  auto at = arcs.begin();
  for (std::int64_t row = request.first; row < request.last; ++row) {
    rows.offsets.push_back(static_cast<std::uint64_t>(at - arcs.begin()));
    for (; at != arcs.end() && at->edge.source == row; ++at) {
      rows.targets.push_back(at->edge.target);
      if (weighted) rows.weights.push_back(at->weight);
      rows.self_loops += at->edge.target == row;
    }
  }
  rows.offsets.push_back(arcs.size());
  return rows;
}

std::vector<Edge> random_edges(std::size_t count, VertexId first, VertexId last,
                               VertexId vertices) {
  std::mt19937_64 random(7);
  std::vector<Edge> edges(count);
  const auto below = [&](VertexId n) {
    return static_cast<VertexId>(random() % static_cast<std::uint64_t>(n));
  };
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

// Many duplicates, so that the least weight has to be found among several.
TEST(RowSorter, WeightsOfEveryType) {
  std::mt19937 random(11);
  for (const std::uint32_t vertices : {300u, 20000u}) {
    const std::vector<Edge> edges = random_edges(200000, 0, vertices, vertices);
    for (const WeightType type : {WeightType::kByte, WeightType::kWord, WeightType::kDouble}) {
      std::vector<double> weights(edges.size());
      for (double& weight : weights) {
        weight = type == WeightType::kByte   ? random() % 256
                 : type == WeightType::kWord ? static_cast<double>(random())
                                             : static_cast<double>(random()) / 7 - 1e8;
      }
      ASSERT_EQ(range_of(weights).type(), type);
      const std::span<const Edge> list = edges;
      const std::span<const double> values = weights;
      for (const Direction direction :
           {Direction::kForward, Direction::kReverse, Direction::kBoth}) {
        for (const bool simplify : {false, true}) {
          const RowSorter::Request request{.edges = {list.first(999), list.subspan(999)},
                                           .weights = {values.first(999), values.subspan(999)},
                                           .weight_type = type,
                                           .direction = direction,
                                           .last = vertices,
                                           .vertices = vertices,
                                           .simplify = simplify};
          EXPECT_EQ(sorted(request, 5), expected(request));
        }
      }
    }
  }
}

// A key has no room for such rows, such neighbors and a weight beside each other in one bucket.
TEST(RowSorter, FewWeightedArcsOfAllVertices) {
  const VertexId all = kMaxVertices;
  const std::vector<Edge> edges = random_edges(100, 0, 40'000'000, all);
  std::vector<double> weights(edges.size());
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<double>(i);
  const RowSorter::Request request{.edges = {edges},
                                   .weights = {weights},
                                   .weight_type = WeightType::kByte,
                                   .last = 40'000'000,
                                   .vertices = all};
  EXPECT_EQ(sorted(request, 2), expected(request));
}

TEST(WeightRange, FindsTheNarrowestType) {
  const auto type = [](std::vector<double> weights) { return range_of(weights).type(); };
  EXPECT_EQ(type({}), WeightType::kByte);
  EXPECT_EQ(type({0, 255, 7}), WeightType::kByte);
  EXPECT_EQ(type({0, 256}), WeightType::kWord);
  EXPECT_EQ(type({4294967295.0}), WeightType::kWord);
  EXPECT_EQ(type({4294967296.0}), WeightType::kDouble);
  EXPECT_EQ(type({1, 0.5}), WeightType::kDouble);
  EXPECT_EQ(type({1, -1}), WeightType::kDouble);
  EXPECT_EQ(type({1, std::numeric_limits<double>::infinity()}), WeightType::kDouble);
}

TEST(RowSorter, SomeRowsOfALargeGraph) {
  // As on one of several locales: some rows of as many vertices as there may be, from several
  // lists.
  const VertexId all = kMaxVertices;
  for (const VertexId first : {VertexId{64000}, all - 6000}) {
    const std::vector<Edge> edges = random_edges(100000, first, first + 6000, all);
    const std::span<const Edge> list = edges;
    const RowSorter::Request request{.edges = {list.first(10), list.subspan(10, 0),
                                               list.subspan(10, 60000), list.subspan(60010)},
                                     .first = first,
                                     .last = first + 6000,
                                     .vertices = all};
    EXPECT_EQ(sorted(request, 7), expected(request));
  }
}

TEST(RowSorter, OneRowHasAllArcs) {
  std::vector<Edge> edges;
  for (VertexId v = 100000; v > 0; --v) edges.push_back({v % 2 == 0 ? VertexId{5} : v - 1, 5});
  const RowSorter::Request request{
      .edges = {edges}, .direction = Direction::kBoth, .last = 100000, .vertices = 100000};
  EXPECT_EQ(sorted(request, 4), expected(request));
}

TEST(RowSorter, GivesBackWhatItHasRead) {
  for (const WeightType type : {WeightType::kNone, WeightType::kByte, WeightType::kDouble}) {
    std::vector<Edge> edges = random_edges(500000, 0, 3000, 3000);
    std::vector<double> weights(edges.size());
    for (std::size_t i = 0; i < weights.size(); ++i)
      weights[i] = static_cast<double>(i % 200 + 1) / (type == WeightType::kDouble ? 7 : 1);
    const std::span<const Edge> list = edges;
    const std::span<const double> of_list = weights;
    RowSorter::Request request{.edges = {list.first(100001), list.subspan(100001)},
                               .weights = {of_list.first(100001), of_list.subspan(100001)},
                               .weight_type = type,
                               .direction = Direction::kBoth,
                               .last = 3000,
                               .vertices = 3000};
    if (type == WeightType::kNone) request.weights.clear();
    const Rows rows = expected(request);
    request.release = true;
    EXPECT_EQ(sorted(request, 3), rows);
    for (const std::size_t i : {50000, 250000, 450000}) {
      EXPECT_EQ(edges[i], Edge{}) << i;
      EXPECT_EQ(weights[i] == 0, type != WeightType::kNone) << i;
    }
  }
}

// A few bits more or less than 32 for a neighbor and a row in its bucket, and all that there may
// be.
TEST(RowSorter, KeysOfEveryWidth) {
  const auto most = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(kMaxVertices)));
  for (const VertexId rows : {1000, 6000}) {
    for (int bits = 18; bits <= most; ++bits) {
      const auto all = static_cast<VertexId>(std::min((std::int64_t{1} << bits) - 1, kMaxVertices));
      const std::vector<Edge> edges = random_edges(70000, 0, rows, all);
      const RowSorter::Request request{.edges = {edges}, .last = rows, .vertices = all};
      EXPECT_EQ(sorted(request, 3), expected(request)) << bits << " bits";
    }
  }
}

}  // namespace
}  // namespace grappa::graph
