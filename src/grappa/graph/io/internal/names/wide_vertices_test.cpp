// Formats whose files say how many vertices there are, with more of them than 32 bits number.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "grappa/graph/io/save.hpp"
#include "grappa/graph/load/load.hpp"
#include "tests/support/graph_files.hpp"

namespace grappa::graph {
namespace {

using testing::HasSubstr;

const std::string kMatrix =
    "%%MatrixMarket matrix coordinate pattern general\n8589934592 8589934592 3\n"
    "1 8589934592\n4294967296 4294967297\n8589934592 2\n";
const std::string kShortestPaths =
    "p sp 8589934592 3\na 1 8589934592 5\na 4294967296 4294967297 1\na 8589934592 2 7\n";

TEST(WideVertices, AreRefusedWhereVerticesHave32Bits) {
  if (kVertexBits != 32) GTEST_SKIP() << "vertices have 64 bits";
  const std::string reason =
      "8589934592 vertices, 4294967295 are possible (more in a build with "
      "-DGRAPPA_VERTEX_BITS=64)";
  expect_input_error([] { read_string(Format::kMatrixMarket, kMatrix); }, 2, reason);
  expect_input_error([] { read_string(Format::kDimacs, kShortestPaths); }, 1, reason);
  expect_input_error([] { read_string(Format::kMetis, "8589934592 0\n"); }, 1, reason);
}

TEST(WideVertices, AreReadAndWrittenWhereTheyHave64) {
  if (kVertexBits != 64) GTEST_SKIP() << "vertices have 32 bits";
  const TemporaryFolder folder;
  const EdgeList matrix = read_string(Format::kMatrixMarket, kMatrix);
  EXPECT_EQ(matrix.vertex_count, std::int64_t{1} << 33);
  EXPECT_EQ(matrix.edges[1], (Edge{0xffffffff, static_cast<VertexId>(std::int64_t{1} << 32)}));
  EXPECT_EQ(named_edges(matrix),
            (NamedEdges{{"1", "8589934592"}, {"4294967296", "4294967297"}, {"8589934592", "2"}}));
  const EdgeList paths = read_string(Format::kDimacs, kShortestPaths, {.want_weights = true});
  EXPECT_EQ(named_edges(paths),
            (NamedEdges{
                {"1", "8589934592", 5}, {"4294967296", "4294967297", 1}, {"8589934592", "2", 7}}));
  for (const char* name : {"a.mtx", "a.gr"}) {
    const std::string path = folder.path(name);
    save_edge_list(paths, {.path = path}, threaded_for());
    const EdgeList again = load_edge_list({.path = path, .want_weights = true}, threaded_for());
    EXPECT_EQ(again.vertex_count, paths.vertex_count) << name;
    EXPECT_EQ(named_edges(again), named_edges(paths)) << name;
  }
  try {
    save_edge_list(paths, {.path = folder.path("a.sg")}, threaded_for());
    ADD_FAILURE() << "its format has 32-bit ids";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("8589934592 vertices, but this format has at most"));
  }
}

}  // namespace
}  // namespace grappa::graph
