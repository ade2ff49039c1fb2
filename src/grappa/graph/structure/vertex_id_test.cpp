#include "grappa/graph/structure/vertex_id.hpp"

#include <gtest/gtest.h>

#include <set>
#include <utility>
#include <vector>

#include "grappa/graph/exec/locales.hpp"
#include "grappa/graph/structure/internal/vertex_order.hpp"
#include "grappa/graph/structure/internal/vertex_pair.hpp"

namespace grappa::graph {
namespace {

/// Some of all sizes, up to the greatest that there can be.
std::vector<VertexId> vertices() {
  std::set<VertexId> all;
  for (std::int64_t bit = 1; bit < kMaxVertices; bit *= 2) {
    for (const std::int64_t v : {bit - 1, bit, bit + 1, kMaxVertices - bit})
      if (v < kMaxVertices) all.insert(static_cast<VertexId>(v));
  }
  return {all.begin(), all.end()};
}

TEST(VertexId, HasTheWidthThatWasConfigured) {
  EXPECT_EQ(sizeof(VertexId), kVertexBits / 8);
  EXPECT_GE(kMaxVertices, std::int64_t{0xffffffff});
  EXPECT_EQ(static_cast<std::int64_t>(static_cast<VertexId>(kMaxVertices - 1)), kMaxVertices - 1);
  EXPECT_LT(static_cast<VertexId>(kMaxVertices - 1), kNoVertex);
}

TEST(VertexId, TagsOfMessagesComeOff) {
  for (const VertexId v : vertices()) EXPECT_EQ(untagged(v | kVertexTag), v);
}

TEST(VertexId, PairsBelow32BitsStandInAWord) {
  EXPECT_EQ(word_of_pair(5, 7), 0x500000007u);
  EXPECT_EQ(word_of_pair(0xffffffff, 0xfffffffe), 0xfffffffffffffffeu);
}

TEST(VertexId, PairsOfAllSizesHaveDifferentWords) {
  const std::vector<VertexId> all = vertices();
  std::set<std::uint64_t> words;
  for (const VertexId a : all) {
    for (const VertexId b : all)
      words.insert(word_of_pair(static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(b)));
  }
  EXPECT_EQ(words.size(), all.size() * all.size());
}

TEST(VertexId, RandomRanksDiffer) {
  std::set<RandomRank> ranks;
  for (const VertexId v : vertices()) ranks.insert(random_rank(v));
  EXPECT_EQ(ranks.size(), vertices().size());
  EXPECT_LT(*ranks.rbegin() >> (kRandomRankBits - 1), 2u);
}

// The order of the first 2^32, which is the same in every build.
TEST(VertexId, RandomRanksAreThoseOf32Bits) {
  EXPECT_EQ(random_rank(0), 0u);
  EXPECT_EQ(random_rank(1) >> (kRandomRankBits - 32), 0x688990c0u);
  EXPECT_EQ(random_rank(0xffffffff) >> (kRandomRankBits - 32), 0x6768824au);
}

}  // namespace
}  // namespace grappa::graph
