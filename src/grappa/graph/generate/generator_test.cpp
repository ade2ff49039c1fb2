#include "grappa/graph/generate/generator.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "grappa/graph/generate/internal/id_permutation.hpp"
#include "grappa/graph/generate/internal/kronecker.hpp"
#include "tests/support/graph_files.hpp"

namespace grappa::graph {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

EdgeList make(std::string_view spec, const GenerateOptions& options = {},
              const ParallelFor& parallel = serial_for()) {
  EdgeList list = generate(parse_generator(spec), options, parallel);
  expect_sound(list);
  return list;
}

TEST(Generator, Specifications) {
  EXPECT_TRUE(is_generator("kron:20"));
  EXPECT_TRUE(is_generator("grid:"));
  EXPECT_FALSE(is_generator("kron.txt"));
  EXPECT_FALSE(is_generator("file:kron:3"));

  const GeneratorSpec kron = parse_generator("kron:20");
  EXPECT_EQ(kron.vertex_count(), 1 << 20);
  EXPECT_EQ(kron.edge_count(), 16 << 20);
  EXPECT_EQ(parse_generator("urand:10:3").edge_count(), 3072);
  EXPECT_EQ(parse_generator("grid:3x4").vertex_count(), 12);
  EXPECT_EQ(parse_generator("grid:3x4").edge_count(), 17);
  EXPECT_EQ(parse_generator("grid:1x1").edge_count(), 0);
}

TEST(Generator, WrongSpecifications) {
  for (const char* text : {"kron:",
                           "kron:0",
                           kVertexBits == 32 ? "kron:32" : "kron:49",
                           "kron:x",
                           "kron:-1",
                           "kron:20:",
                           "kron:20:0",
                           "kron:20:-5",
                           "kron:20:16:1",
                           "kron:20x",
                           "kron: 20",
                           "kron:99999999999999999999",
                           "kron:31:99999999",
                           "urand:",
                           "urand:5:x",
                           "grid:",
                           "grid:5",
                           "grid:5x",
                           "grid:x5",
                           "grid:0x5",
                           "grid:5x0",
                           "grid:5x5x5",
                           kVertexBits == 32 ? "grid:100000x100000" : "grid:100000000x100000000",
                           "grid:-1x-1",
                           "tree:5",
                           ""}) {
    try {
      parse_generator(text);
      ADD_FAILURE() << text;
    } catch (const UsageError& error) {
      EXPECT_THAT(error.what(), HasSubstr("kron:SCALE[:EDGEFACTOR]")) << text;
      EXPECT_THAT(error.what(), HasSubstr(std::string("'") + text + "'"));
    }
  }
}

TEST(Generator, Grid) {
  const EdgeList list = make("grid:2x3");
  EXPECT_FALSE(list.directed);
  EXPECT_FALSE(list.needs_simplify);
  EXPECT_EQ(list.vertex_count, 6);
  EXPECT_THAT(list.edges, ElementsAre(Edge{0, 1}, Edge{1, 2}, Edge{3, 4}, Edge{4, 5}, Edge{0, 3},
                                      Edge{1, 4}, Edge{2, 5}));
  EXPECT_THAT(make("grid:1x3").edges, ElementsAre(Edge{0, 1}, Edge{1, 2}));
  EXPECT_THAT(make("grid:3x1").edges, ElementsAre(Edge{0, 1}, Edge{1, 2}));
}

TEST(Generator, TheSameHoweverTheWorkIsSplit) {
  for (const char* spec : {"kron:14:20", "urand:14:20", "grid:300x500"}) {
    const EdgeList expected = make(spec, {.seed = 3, .want_weights = true});
    for (const ParallelFor& parallel : {backwards_for(), threaded_for()}) {
      const EdgeList list = make(spec, {.seed = 3, .want_weights = true}, parallel);
      EXPECT_TRUE(list.edges == expected.edges) << spec;
      EXPECT_TRUE(list.weights == expected.weights) << spec;
    }
    const std::size_t count = expected.edges.size();
    for (const std::size_t first : {std::size_t{0}, std::size_t{1}, count / 3, count - 1}) {
      std::vector<Edge> part(std::min<std::size_t>(1000, count - first));
      generate_edges(parse_generator(spec), 3, static_cast<std::int64_t>(first), part);
      EXPECT_TRUE(std::equal(part.begin(), part.end(),
                             expected.edges.begin() + static_cast<std::ptrdiff_t>(first)))
          << spec;
    }
  }
}

TEST(Generator, SeedsDiffer) {
  for (const char* spec : {"kron:10", "urand:10"}) {
    EXPECT_FALSE(make(spec, {.seed = 1}).edges == make(spec, {.seed = 2}).edges);
  }
}

// Published graphs must stay what they are: a change of these figures is a change of every graph.
TEST(Generator, KnownEdges) {
  const EdgeList kron = make("kron:20:1");
  EXPECT_EQ(kron.edges[0], (Edge{0x0f5472, 0x04389a}));
  EXPECT_EQ(kron.edges[1000000], (Edge{0x01bad4, 0x07cc70}));
  EXPECT_EQ(make("urand:20:1").edges[0], (Edge{0x05c5b2, 0x0b31be}));
  EXPECT_EQ(generated_weight(1, {5, 7}), 222);
}

// Of the largest graphs, a few edges: both ends reach all over.
TEST(Generator, LargestScale) {
  for (const char* kind : {"kron:", "urand:"}) {
    const std::string text = kind + std::to_string(kMaxScale);
    const GeneratorSpec spec = parse_generator(text + ":1");
    EXPECT_EQ(spec.vertex_count(), std::int64_t{1} << kMaxScale);
    std::vector<Edge> edges(1000);
    generate_edges(spec, 1, spec.edge_count() - 1000, edges);
    VertexId sources = 0;
    VertexId targets = 0;
    for (const Edge& edge : edges) {
      sources |= edge.source;
      targets |= edge.target;
    }
    EXPECT_EQ(sources, static_cast<VertexId>(spec.vertex_count() - 1)) << text;
    EXPECT_EQ(targets, static_cast<VertexId>(spec.vertex_count() - 1)) << text;
  }
}

TEST(Generator, WeightsAreSymmetricAndUniform) {
  std::vector<int> counts(256, 0);
  for (std::uint32_t i = 0; i < 255000; ++i) {
    const Edge edge{i % 1000, 1000 + i / 1000};
    const double weight = generated_weight(7, edge);
    ASSERT_EQ(weight, generated_weight(7, {edge.target, edge.source}));
    ASSERT_EQ(weight, std::floor(weight));
    ++counts[static_cast<std::size_t>(weight)];
  }
  EXPECT_EQ(counts[0], 0);
  for (std::size_t weight = 1; weight < 256; ++weight) EXPECT_NEAR(counts[weight], 1000, 200);
}

TEST(Generator, UniformEndsAreUniform) {
  const EdgeList list = make("urand:6:4096");
  std::vector<int> sources(64, 0);
  std::vector<int> targets(64, 0);
  for (const Edge& edge : list.edges) {
    ++sources[edge.source];
    ++targets[edge.target];
  }
  for (std::size_t v = 0; v < 64; ++v) {
    EXPECT_NEAR(sources[v], 4096, 400);
    EXPECT_NEAR(targets[v], 4096, 400);
  }
}

TEST(IdPermutation, IsAPermutation) {
  for (int bits = 1; bits <= 16; ++bits) {
    for (const std::uint64_t seed : {1u, 2u}) {
      const generate_detail::IdPermutation permute(seed, bits);
      std::vector<bool> seen(std::size_t{1} << bits, false);
      for (std::size_t id = 0; id < seen.size(); ++id) {
        const auto place = static_cast<std::size_t>(permute(id));
        ASSERT_LT(place, seen.size());
        ASSERT_FALSE(seen[place]);
        seen[place] = true;
      }
    }
  }
}

// As far as vertices go; steps that can be undone stay so with more bits, so a few thousand numbers
// are looked at.
TEST(IdPermutation, UsesAllBitsOfVertices) {
  const int bits = std::bit_width(static_cast<std::uint64_t>(kMaxVertices)) - 1;
  const generate_detail::IdPermutation permute(1, bits);
  std::set<VertexId> seen;
  VertexId all = 0;
  for (std::uint64_t id = 0; id < 5000; ++id) {
    const VertexId place = permute((id * 0x9e3779b97f4a7c15) & ((std::uint64_t{1} << bits) - 1));
    seen.insert(place);
    all |= place;
  }
  EXPECT_EQ(seen.size(), 5000u);
  EXPECT_EQ(all, static_cast<VertexId>((std::int64_t{1} << bits) - 1));
}

TEST(IdPermutation, NeighborsAreScattered) {
  const generate_detail::IdPermutation permute(1, 20);
  std::vector<int> counts(64, 0);
  for (std::uint64_t id = 0; id < 6400; ++id) ++counts[permute(id) >> 14];
  for (const int count : counts) EXPECT_NEAR(count, 100, 60);
}

// The quadrant frequencies at every level, the permutation undone.
TEST(Kronecker, QuadrantsHaveGraph500Probabilities) {
  constexpr int kScale = 12;
  constexpr std::size_t kEdges = 400000;
  const generate_detail::IdPermutation permute(9, kScale);
  std::vector<std::uint32_t> original(1 << kScale);
  for (std::uint32_t id = 0; id < original.size(); ++id) original[permute(id)] = id;
  std::vector<Edge> edges(kEdges);
  generate_detail::KroneckerEdges(9, kScale).fill(0, edges);
  std::vector<std::vector<int>> counts(kScale, std::vector<int>(4, 0));
  for (const Edge& edge : edges) {
    for (int level = 0; level < kScale; ++level) {
      const std::uint32_t source = original[edge.source] >> level & 1;
      const std::uint32_t target = original[edge.target] >> level & 1;
      ++counts[static_cast<std::size_t>(level)][2 * source + target];
    }
  }
  for (const std::vector<int>& level : counts) {
    const double expected[] = {0.57, 0.19, 0.19, 0.05};
    for (std::size_t quadrant = 0; quadrant < 4; ++quadrant) {
      const double p = expected[quadrant];
      const double deviation = std::sqrt(p * (1 - p) / kEdges);
      EXPECT_NEAR(level[quadrant] / static_cast<double>(kEdges), p, 5 * deviation);
    }
  }
}

}  // namespace
}  // namespace grappa::graph
