#include "grappa/graph/framework/internal/visit_code.hpp"

#include <gtest/gtest.h>

namespace grappa::graph {
namespace {

void expect_kept(const VisitCode& code, std::uint64_t depth, VertexId parent) {
  const Visit visit = code.visit(depth, parent);
  EXPECT_EQ(code.depth_of(visit), depth);
  EXPECT_EQ(code.parent_of(visit), parent);
  EXPECT_LT(visit, kNoVisit);
}

TEST(VisitCode, KeepsWhatThereCanBe) {
  for (const std::int64_t vertices : {std::int64_t{1}, std::int64_t{1000}, kMaxVertices}) {
    const VisitCode code(vertices);
    for (const std::uint64_t depth : {0, 1, 65534})
      for (const std::int64_t parent : {std::int64_t{0}, vertices - 1})
        expect_kept(code, depth, static_cast<VertexId>(parent));
  }
  // A path has no more.
  expect_kept(VisitCode(0x7fffffff), 0x7ffffffe, 0x7ffffffe);
}

TEST(VisitCode, TheNearestIsTheLeast) {
  const VisitCode code(kMaxVertices);
  const auto last = static_cast<VertexId>(kMaxVertices - 1);
  EXPECT_LT(code.visit(2, last), code.visit(3, 0));
  EXPECT_LT(code.visit(3, 0), code.visit(3, last));
}

TEST(VisitCode, DepthsThatDoNotFit) {
  if (kVertexBits == 32) GTEST_SKIP() << "there are none where vertices have 32 bits";
  EXPECT_THROW(VisitCode(kMaxVertices).visit(65535, 0), Error);
}

}  // namespace
}  // namespace grappa::graph
