#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/graph_files.hpp"

namespace grappa::graph {
namespace {

using io::ReadOptions;
using testing::ElementsAre;

constexpr Reading kMatrixMarket{Format::kMatrixMarket};

const std::string kGeneral = "%%MatrixMarket matrix coordinate pattern general\n";

TEST(ReadMatrixMarket, GeneralPattern) {
  const EdgeList list =
      kMatrixMarket.read(kGeneral + "% comment\n\n5 5 3\n1 2\n% in between\n2 1\n\n3 3");
  EXPECT_TRUE(list.directed);
  EXPECT_THAT(all_names(list), ElementsAre("1", "2", "3", "4", "5"));
  EXPECT_EQ(named_edges(list), (NamedEdges{{"1", "2"}, {"2", "1"}, {"3", "3"}}));
}

TEST(ReadMatrixMarket, SymmetricReal) {
  const std::string text =
      "%%matrixmarket MATRIX Coordinate Real Symmetric\r\n3 3 2\r\n2 1 0.5\r\n3 3 -1.5e1\r\n";
  const EdgeList list = kMatrixMarket.read(text, {.want_weights = true});
  EXPECT_FALSE(list.directed);
  EXPECT_EQ(named_edges(list), (NamedEdges{{"2", "1", 0.5}, {"3", "3", -15}}));
  EXPECT_TRUE(kMatrixMarket.read(text).weights.empty());

  const EdgeList both = kMatrixMarket.read(text, {.directed = true, .want_weights = true});
  EXPECT_TRUE(both.directed);
  EXPECT_EQ(named_edges(both), (NamedEdges{{"2", "1", 0.5}, {"3", "3", -15}, {"1", "2", 0.5}}));
  EXPECT_FALSE(kMatrixMarket.read(kGeneral + "2 2 1\n1 2\n", {.directed = false}).directed);
}

TEST(ReadMatrixMarket, SymmetricFilesHaveOneTriangle) {
  const std::string symmetric = "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n";
  EXPECT_EQ(kMatrixMarket.read(symmetric + "2 1\n3 3\n").edges.size(), 2u);
  kMatrixMarket.expect_bad(
      symmetric + "2 1\n1 2\n", 4,
      "row 1, column 2 is above the diagonal; a symmetric file has the lower triangle only");
  kMatrixMarket.expect_bad(symmetric + "2 1\n1 4\n", 4, "row 1, column 4 is above the diagonal");
  kMatrixMarket.expect_bad("%%MatrixMarket matrix coordinate real symmetric\n3 3 1\n2 3 0.5\n", 3,
                           "above the diagonal", {.want_weights = true});
}

TEST(ReadMatrixMarket, IntegersAreWhole) {
  const std::string integer = "%%MatrixMarket matrix coordinate integer general\n3 3 2\n1 2 -7\n";
  const ReadOptions weights{.want_weights = true};
  EXPECT_EQ(named_edges(kMatrixMarket.read(integer + "2 3 1000000\n", weights)),
            (NamedEdges{{"1", "2", -7}, {"2", "3", 1e6}}));
  for (const char* weight : {"3.5", "1e-3"}) {
    kMatrixMarket.expect_bad(
        integer + "2 3 " + weight + "\n", 4,
        "expected an integer, as the header has it, found '" + std::string(weight) + "'", weights);
  }
  kMatrixMarket.expect_bad(integer + "2 3 x\n", 4, "expected a weight", weights);
  EXPECT_EQ(kMatrixMarket.read(integer + "2 3 3.5\n").edges.size(), 2u) << "nobody wants them";
}

TEST(ReadMatrixMarket, NoEntries) {
  const EdgeList list = kMatrixMarket.read(kGeneral + "3 3 0\n");
  EXPECT_EQ(list.vertex_count, 3);
  EXPECT_TRUE(list.edges.empty());
}

TEST(ReadMatrixMarket, Headers) {
  kMatrixMarket.expect_bad("1 2\n", 1, "expected '%%MatrixMarket matrix coordinate");
  kMatrixMarket.expect_bad("%%MatrixMarket matrix array real general\n", 1,
                           "'matrix array' is not a graph");
  kMatrixMarket.expect_bad("%%MatrixMarket matrix coordinate complex general\n", 1,
                           "values 'complex'");
  kMatrixMarket.expect_bad("%%MatrixMarket matrix coordinate real hermitian\n", 1,
                           "symmetry 'hermitian'");
  kMatrixMarket.expect_bad("%%MatrixMarket matrix coordinate real\n", 1,
                           "expected '%%MatrixMarket");
  kMatrixMarket.expect_bad(kGeneral, 1, "the file ends where 'rows columns entries' is expected");
  kMatrixMarket.expect_bad(kGeneral + "% c\n3 3\n", 3,
                           "expected 'rows columns entries', found '3 3'");
  kMatrixMarket.expect_bad(kGeneral + "3 x 1\n", 2,
                           "expected the number of columns (a number), found 'x'");
  kMatrixMarket.expect_bad(kGeneral + "3 -3 1\n", 2, "found '-3'");
  kMatrixMarket.expect_bad(kGeneral + "3 4 1\n", 2,
                           "3 rows and 4 columns: a graph needs a square matrix");
  kMatrixMarket.expect_bad(kGeneral + "0 0 0\n", 2, "a graph without vertices");
  const std::string many = std::to_string(kMaxVertices + 1);
  kMatrixMarket.expect_bad(kGeneral + many + " " + many + " 0\n", 2, many + " vertices");
}

TEST(ReadMatrixMarket, EntriesThatDoNotMatchTheHeader) {
  kMatrixMarket.expect_bad(kGeneral + "3 3 2\n1 2\n", 2,
                           "2 entries announced here, but the file has 1");
  kMatrixMarket.expect_bad(kGeneral + "3 3 1\n1 2\n2 3\n", 2,
                           "1 entry announced here, but the file has 2");
}

TEST(ReadMatrixMarket, BadEntries) {
  kMatrixMarket.expect_bad(kGeneral + "3 3 1\n0 2\n", 3, "vertex 0 is not in 1 ... 3");
  kMatrixMarket.expect_bad("%%MatrixMarket matrix coordinate pattern symmetric\n3 3 1\n0 2\n", 3,
                           "vertex 0 is not in 1 ... 3");
  kMatrixMarket.expect_bad(kGeneral + "3 3 2\n1 2\n1 4\n", 4, "vertex 4 is not in 1 ... 3");
  kMatrixMarket.expect_bad(kGeneral + "3 3 1\n1 4294967297\n", 3, "vertex 4294967297 is not in");
  kMatrixMarket.expect_bad(kGeneral + "3 3 1\n1\n", 3, "1 column, 2 expected");
  kMatrixMarket.expect_bad(kGeneral + "3 3 1\n1 2 3\n", 3, "3 columns, 2 expected");
  kMatrixMarket.expect_bad(kGeneral + "3 3 1\n1 -2\n", 3, "negative");
  const std::string real = "%%MatrixMarket matrix coordinate real general\n3 3 1\n";
  kMatrixMarket.expect_bad(real + "1 2\n", 3, "2 columns, 3 expected");
  kMatrixMarket.expect_bad(real + "1 2 3 4\n", 3, "4 columns, 3 expected");
  kMatrixMarket.expect_bad(real + "1 2 inf\n", 3, "expected a weight", {.want_weights = true});
  kMatrixMarket.expect_bad(real + "1 2 nan\n", 3, "expected a weight", {.want_weights = true});
  kMatrixMarket.expect_bad(real + "1 2 3 4\n", 3, "4 columns, 3 expected", {.want_weights = true});
}

}  // namespace
}  // namespace grappa::graph
