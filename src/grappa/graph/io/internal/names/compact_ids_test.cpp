#include "grappa/graph/io/internal/names/compact_ids.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "grappa/graph/io/internal/names/id_index.hpp"
#include "tests/support/graph_files.hpp"

namespace grappa::graph::io {
namespace {

UninitializedVector<WideEdge> random_edges(std::size_t count, std::uint64_t first,
                                           std::uint64_t range, std::uint64_t step) {
  std::mt19937_64 random(count + range);
  UninitializedVector<WideEdge> edges;
  for (std::size_t i = 0; i < count; ++i) {
    edges.push_back({first + step * (random() % range), first + step * (random() % range)});
  }
  return edges;
}

void expect_compacted(const UninitializedVector<WideEdge>& before, const EdgeList& after) {
  std::vector<std::uint64_t> numbers;
  for (const WideEdge& edge : before) {
    numbers.push_back(edge.source);
    numbers.push_back(edge.target);
  }
  sort_unique(numbers);
  ASSERT_EQ(after.vertex_count, static_cast<std::int64_t>(numbers.size()));
  ASSERT_EQ(after.names.size(), after.vertex_count);
  ASSERT_EQ(after.edges.size(), before.size());
  std::size_t wrong = 0;
  for (std::size_t id = 0; id < numbers.size(); ++id) {
    wrong += after.names.integer(static_cast<VertexId>(id)) != numbers[id];
  }
  for (std::size_t i = 0; i < before.size(); ++i) {
    wrong += numbers.at(after.edges[i].source) != before[i].source;
    wrong += numbers.at(after.edges[i].target) != before[i].target;
  }
  EXPECT_EQ(wrong, 0u);
}

TEST(CompactIds, RangesDenseAndSparseNumbers) {
  struct Case {
    std::size_t edges;
    std::uint64_t first, range, step;
  };
  const Case cases[] = {{1, 0, 1, 1},
                        {1, 5, 1, 1},
                        {1000, 0, 10, 1},
                        {1000, 1, 10, 1},
                        {100, 0, 5000, 1},
                        {1000, 4294967290, 20, 1},
                        {5, 0, 2, 4294967295},
                        {3000, 0, 1000, 1 << 20},
                        {3000, kMaxVertexName - 999, 1000, 1},
                        {500, 7, 1 << 30, 8589934591},
                        {300000, 0, 100000, 3},
                        {2500000, 0, 1000, 1ull << 40}};
  for (const Case& c : cases) {
    const auto edges = random_edges(c.edges, c.first, c.range, c.step);
    for (const ParallelFor& parallel : {serial_for(), threaded_for()}) {
      EdgeList list;
      compact_ids(edges, list, "test", parallel);
      expect_compacted(edges, list);

      const bool narrow = std::all_of(edges.begin(), edges.end(), [](const WideEdge& edge) {
        return is_narrow(std::max(edge.source, edge.target));
      });
      if (!narrow) continue;
      UninitializedVector<Edge> narrow_edges;
      for (const WideEdge& edge : edges) {
        narrow_edges.push_back(
            {static_cast<VertexId>(edge.source), static_cast<VertexId>(edge.target)});
      }
      EdgeList narrow_list;
      compact_ids(std::move(narrow_edges), narrow_list, "test", parallel);
      expect_compacted(edges, narrow_list);
    }
  }
}

TEST(CompactIds, NoEdges) {
  EdgeList list;
  compact_ids(UninitializedVector<Edge>(), list, "test", serial_for());
  EXPECT_EQ(list.vertex_count, 0);
}

TEST(CompactIds, TooManyVertices) {
  constexpr auto kMax = static_cast<std::uint64_t>(kMaxVertices);
  EXPECT_NO_THROW(check_vertex_count(kMax, "big.mtx"));
  expect_input_error([] { check_vertex_count(kMax + 1, "big.mtx", 3); }, 3,
                     kVertexBits == 32 ? "4294967296 vertices, 4294967295 are possible (more in a "
                                         "build with -DGRAPPA_VERTEX_BITS=64)"
                                       : "281474976710657 vertices, 281474976710656 are possible");
}

TEST(IdIndex, FindsWhatIsThereAndNothingElse) {
  std::mt19937_64 random(3);
  for (const std::uint64_t step : {1u, 2u, 50u, 1000000u}) {
    std::vector<std::uint64_t> names;
    for (std::uint64_t i = 0; i < 5000; ++i) names.push_back(9 + i * step + random() % step);
    const IdIndex index = IdIndex::from_ascending(names, threaded_for());
    EXPECT_EQ(index.size(), 5000);
    std::size_t next = 0;
    for (std::uint64_t name = 0; name < std::min<std::uint64_t>(names.back() + 100, 600000);
         ++name) {
      const bool there = next < names.size() && names[next] == name;
      ASSERT_EQ(index.find(name), there ? static_cast<VertexId>(next) : IdIndex::kAbsent) << name;
      next += there;
    }
    EXPECT_EQ(index.find(names.back()), VertexId{4999});
    EXPECT_EQ(index.find(kMaxVertexName), IdIndex::kAbsent);
  }
  EXPECT_EQ(IdIndex::from_ascending({}, serial_for()).find(0), IdIndex::kAbsent);
}

}  // namespace
}  // namespace grappa::graph::io
