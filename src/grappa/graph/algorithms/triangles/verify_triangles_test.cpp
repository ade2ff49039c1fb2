// The verifiers of what is counted by triangles accept right answers and reject wrong ones.
#include "grappa/graph/algorithms/triangles/triangles.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "grappa/graph/algorithms/local_clustering/local_clustering.hpp"
#include "grappa/graph/structure/internal/serial_graph.hpp"

namespace grappa::graph {
namespace {

using ::testing::HasSubstr;

//   0 - 1, 0 - 2, 1 - 2, 1 - 3, 2 - 3: two triangles; 3 - 4, a self-loop, an edge twice.
SerialGraph two_triangles() {
  const std::vector<Edge> edges = {{0, 1}, {0, 2}, {1, 2}, {1, 3}, {2, 3}, {3, 4}, {4, 4}, {1, 0}};
  return SerialGraph(5, false, edges);
}

struct Triangles {
  std::vector<std::uint64_t> count = {1, 2, 2, 1, 0};
  std::uint64_t total = 2;
  std::string failure() const { return verify_triangles(two_triangles(), count, total).failure; }
};

TEST(VerifyTriangles, AcceptsTheRightCounts) {
  EXPECT_EQ(Triangles{}.failure(), "");
  EXPECT_EQ((Triangles{.count = {}}.failure()), "");
  EXPECT_TRUE(verify_triangles(SerialGraph(0, false, {}), {}, 0).passed());
}

TEST(VerifyTriangles, RejectsWrongCounts) {
  EXPECT_THAT((Triangles{.count = {1, 2, 2, 1, 1}}.failure()), HasSubstr("vertex 4 is part of 0"));
  EXPECT_THAT((Triangles{.count = {2, 1, 2, 1, 0}}.failure()), HasSubstr("vertex 0 is part of 1"));
  EXPECT_THAT((Triangles{.total = 6}.failure()), HasSubstr("there are 2, not 6"));
  EXPECT_THAT((Triangles{.count = {}, .total = 1}.failure()), HasSubstr("there are 2, not 1"));
}

struct Coefficients {
  std::vector<double> value = {1, 2.0 / 3, 2.0 / 3, 1.0 / 3, 0};
  double average = (1 + 5.0 / 3) / 5;
  std::string failure(const SerialGraph& graph = two_triangles()) const {
    return verify_lcc(graph, value, average).failure;
  }
};

TEST(VerifyLcc, AcceptsTheRightCoefficients) {
  EXPECT_EQ(Coefficients{}.failure(), "");
  // 0 -> 1, 1 -> 2, 2 -> 0, 0 -> 2: one arc between the neighbors of 0 and 2, two for 1.
  const std::vector<Edge> edges = {{0, 1}, {1, 2}, {2, 0}, {0, 2}};
  EXPECT_EQ((Coefficients{{0.5, 1, 0.5}, 2.0 / 3}.failure(SerialGraph(3, true, edges))), "");
  EXPECT_THAT((Coefficients{{1, 1, 1}, 1}.failure(SerialGraph(3, true, edges))),
              HasSubstr("vertex 0"));
  EXPECT_TRUE(verify_lcc(SerialGraph(0, false, {}), {}, 0).passed());
}

TEST(VerifyLcc, RejectsWrongCoefficients) {
  Coefficients wrong;
  wrong.value[1] += 1e-8;
  EXPECT_THAT(wrong.failure(), HasSubstr("vertex 1"));
  wrong = Coefficients();
  wrong.value[4] = 1;
  EXPECT_THAT(wrong.failure(), HasSubstr("vertex 4"));
  wrong.value[4] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(wrong.failure(), HasSubstr("vertex 4"));
  wrong = Coefficients();
  wrong.average = 0.5;
  EXPECT_THAT(wrong.failure(), HasSubstr("average"));
}

}  // namespace
}  // namespace grappa::graph
