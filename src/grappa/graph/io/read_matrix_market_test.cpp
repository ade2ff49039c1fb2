#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/graph_files.hpp"

namespace grappa::graph {
namespace {

using io::ReadOptions;
using testing::ElementsAre;

const std::string kGeneral = "%%MatrixMarket matrix coordinate pattern general\n";

EdgeList read(std::string_view text, const ReadOptions& options = {}) {
  EdgeList list = read_string(Format::kMatrixMarket, text, options);
  expect_sound(list);
  return list;
}

void expect_bad(std::string_view text, std::int64_t line, std::string_view message,
                const ReadOptions& options = {}) {
  for (const std::size_t block_bytes : {1u, 1000000u}) {
    for (const std::size_t chunk_bytes : {1u, 1000000u}) {
      ReadOptions chunked = options;
      chunked.chunk_bytes = chunk_bytes;
      expect_input_error([&] { read_string(Format::kMatrixMarket, text, chunked, block_bytes); },
                         line, message);
    }
  }
}

TEST(ReadMatrixMarket, GeneralPattern) {
  const EdgeList list = read(kGeneral + "% comment\n\n5 5 3\n1 2\n% in between\n2 1\n\n3 3");
  EXPECT_TRUE(list.directed);
  EXPECT_THAT(all_names(list), ElementsAre("1", "2", "3", "4", "5"));
  EXPECT_EQ(named_edges(list), (NamedEdges{{"1", "2"}, {"2", "1"}, {"3", "3"}}));
}

TEST(ReadMatrixMarket, SymmetricReal) {
  const std::string text =
      "%%matrixmarket MATRIX Coordinate Real Symmetric\r\n3 3 2\r\n2 1 0.5\r\n3 3 -1.5e1\r\n";
  const EdgeList list = read(text, {.want_weights = true});
  EXPECT_FALSE(list.directed);
  EXPECT_EQ(named_edges(list), (NamedEdges{{"2", "1", 0.5}, {"3", "3", -15}}));
  EXPECT_TRUE(read(text).weights.empty());

  const EdgeList both = read(text, {.directed = true, .want_weights = true});
  EXPECT_TRUE(both.directed);
  EXPECT_EQ(named_edges(both), (NamedEdges{{"2", "1", 0.5}, {"3", "3", -15}, {"1", "2", 0.5}}));
  EXPECT_FALSE(read(kGeneral + "2 2 1\n1 2\n", {.directed = false}).directed);
}

TEST(ReadMatrixMarket, SymmetricFilesHaveOneTriangle) {
  const std::string symmetric = "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n";
  EXPECT_EQ(read(symmetric + "2 1\n3 3\n").edges.size(), 2u);
  expect_bad(symmetric + "2 1\n1 2\n", 4,
             "row 1, column 2 is above the diagonal; a symmetric file has the lower triangle only");
  expect_bad(symmetric + "2 1\n1 4\n", 4, "row 1, column 4 is above the diagonal");
  expect_bad("%%MatrixMarket matrix coordinate real symmetric\n3 3 1\n2 3 0.5\n", 3,
             "above the diagonal", {.want_weights = true});
}

TEST(ReadMatrixMarket, IntegersAreWhole) {
  const std::string integer = "%%MatrixMarket matrix coordinate integer general\n3 3 2\n1 2 -7\n";
  const ReadOptions weights{.want_weights = true};
  EXPECT_EQ(named_edges(read(integer + "2 3 1000000\n", weights)),
            (NamedEdges{{"1", "2", -7}, {"2", "3", 1e6}}));
  for (const char* weight : {"3.5", "1e-3", "inf"}) {
    expect_bad(integer + "2 3 " + weight + "\n", 4,
               "expected an integer, as the header has it, found '" + std::string(weight) + "'",
               weights);
  }
  expect_bad(integer + "2 3 x\n", 4, "expected a weight", weights);
  EXPECT_EQ(read(integer + "2 3 3.5\n").edges.size(), 2u) << "nobody wants them";
}

TEST(ReadMatrixMarket, NoEntries) {
  const EdgeList list = read(kGeneral + "3 3 0\n");
  EXPECT_EQ(list.vertex_count, 3);
  EXPECT_TRUE(list.edges.empty());
}

TEST(ReadMatrixMarket, Headers) {
  expect_bad("1 2\n", 1, "expected '%%MatrixMarket matrix coordinate");
  expect_bad("%%MatrixMarket matrix array real general\n", 1, "'matrix array' is not a graph");
  expect_bad("%%MatrixMarket matrix coordinate complex general\n", 1, "values 'complex'");
  expect_bad("%%MatrixMarket matrix coordinate real hermitian\n", 1, "symmetry 'hermitian'");
  expect_bad("%%MatrixMarket matrix coordinate real\n", 1, "expected '%%MatrixMarket");
  expect_bad(kGeneral, 1, "the file ends where 'rows columns entries' is expected");
  expect_bad(kGeneral + "% c\n3 3\n", 3, "expected 'rows columns entries', found '3 3'");
  expect_bad(kGeneral + "3 x 1\n", 2, "expected the number of columns (a number), found 'x'");
  expect_bad(kGeneral + "3 -3 1\n", 2, "found '-3'");
  expect_bad(kGeneral + "3 4 1\n", 2, "3 rows and 4 columns: a graph needs a square matrix");
  expect_bad(kGeneral + "0 0 0\n", 2, "a graph without vertices");
  const std::string many = std::to_string(kMaxVertices + 1);
  expect_bad(kGeneral + many + " " + many + " 0\n", 2, many + " vertices");
}

TEST(ReadMatrixMarket, EntriesThatDoNotMatchTheHeader) {
  expect_bad(kGeneral + "3 3 2\n1 2\n", 2, "2 entries announced here, but the file has 1");
  expect_bad(kGeneral + "3 3 1\n1 2\n2 3\n", 2, "1 entries announced here, but the file has 2");
}

TEST(ReadMatrixMarket, BadEntries) {
  expect_bad(kGeneral + "3 3 1\n0 2\n", 3, "vertex 0 is not in 1 ... 3");
  expect_bad(kGeneral + "3 3 2\n1 2\n1 4\n", 4, "vertex 4 is not in 1 ... 3");
  expect_bad(kGeneral + "3 3 1\n1 4294967297\n", 3, "vertex 4294967297 is not in");
  expect_bad(kGeneral + "3 3 1\n1\n", 3, "1 column, 2 expected");
  expect_bad(kGeneral + "3 3 1\n1 2 3\n", 3, "3 columns, 2 expected");
  expect_bad(kGeneral + "3 3 1\n1 -2\n", 3, "negative");
  const std::string real = "%%MatrixMarket matrix coordinate real general\n3 3 1\n";
  expect_bad(real + "1 2\n", 3, "2 columns, 3 expected");
  expect_bad(real + "1 2 3 4\n", 3, "4 columns, 3 expected");
  expect_bad(real + "1 2 nan\n", 3, "expected a weight", {.want_weights = true});
  expect_bad(real + "1 2 3 4\n", 3, "4 columns, 3 expected", {.want_weights = true});
}

}  // namespace
}  // namespace grappa::graph
