#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "tests/support/graph_files.hpp"

namespace grappa::graph {
namespace {

using io::ReadOptions;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr Reading kText{Format::kText};
constexpr Reading kBare{Format::kBareText};
constexpr Reading kWeighted{Format::kWeightedText};
constexpr Reading kTabs{Format::kTabs};

TEST(ReadText, SnapFile) {
  const EdgeList list = kText.read(
      "# Directed graph (each unordered pair of nodes is saved once): Wiki-Vote.txt\n"
      "# Nodes: 4 Edges: 3\n"
      "# FromNodeId\tToNodeId\n"
      "30\t1412\n30\t3352\n\n3352\t5\n");
  EXPECT_TRUE(list.directed);
  EXPECT_EQ(list.note, "");
  EXPECT_EQ(list.vertex_count, 4);
  EXPECT_THAT(all_names(list), ElementsAre("5", "30", "1412", "3352"));
  EXPECT_THAT(list.edges, ElementsAre(Edge{1, 2}, Edge{1, 3}, Edge{3, 0}));
  EXPECT_TRUE(list.weights.empty());
}

TEST(ReadText, UndirectedComment) {
  EXPECT_FALSE(kText.read("# Undirected graph: email-Enron\n1 2\n").directed);
  EXPECT_FALSE(kText.read("#undirected\n1 2\n").directed);
  EXPECT_TRUE(kText.read("# Directed graph, not undirected\n1 2\n").directed);
  EXPECT_TRUE(kText.read("1 2\n# Undirected graph\n").directed) << "only in front of the edges";
  EXPECT_TRUE(kText.read("# Undirected graph\n1 2\n", {.directed = true}).directed);
  EXPECT_FALSE(kText.read("1 2\n", {.directed = false}).directed);
}

TEST(ReadText, CarriageReturnsAlone) {
  for (const char* text : {"1 2\r2 3\r", "a b\rb c\r", "# from to\r1 2\r2 3\r", "1 2 9\r2 3 9\r"})
    kText.expect_bad(text, 1, "lines must end with a line feed");
  kText.expect_bad("1 2\n2 3\r3 4\n", 2, "lines must end with a line feed");
  kText.expect_bad("1 2 7\n2 3 7\r3 4 7\n", 2, "lines must end with a line feed");
  kText.expect_bad("a b\nb c\rc d\n", 2, "lines must end with a line feed");
}

TEST(ReadText, OtherSeparators) {
  kText.expect_bad("1, 2\n2, 3\n", 1,
                   "'1,': columns are divided by blanks here; give --format csv");
  kText.expect_bad("a; b\n", 1, "'a;': columns are divided by blanks here");
  kText.expect_bad("a ,b\n", 1, "',b': columns are divided by blanks here");
  EXPECT_THAT(all_names(kText.read("a,b c\n")), ElementsAre("a,b", "c"));
}

TEST(ReadText, AnotherFormat) {
  kText.expect_bad("p sp 3 1\na 1 2 7\n", 1, "give --format gr");
  expect_input_error([] { kText.read("c roads\nc\np edge 3 1\ne 1 2\n"); }, 1, "give --format gr");
  EXPECT_EQ(kText.read("p q\nc d\n").edges.size(), 2u);
}

TEST(ReadText, WeightsThatBeginLater) {
  const ReadOptions weighted{.want_weights = true};
  kText.expect_bad("1 2\n2 3 5\n", 2, "3 columns, 2 expected", weighted);
  kText.expect_bad("a b\nb c 5\n", 2, "3 columns, 2 expected", weighted);
  kBare.expect_bad("1 2\n2 3 5\n", 2, "3 columns, 2 expected", weighted);
  EXPECT_EQ(kText.read("1 2\n2 3 5\n").edges.size(), 2u) << "nobody wants them";
}

TEST(ReadText, BlanksCommentsAndLineEnds) {
  const NamedEdges expected = {{"1", "2"}, {"3", "4"}, {"5", "6"}};
  EXPECT_EQ(named_edges(kText.read("1 2\r\n3\t4\r\n5 6\r\n")), expected);
  EXPECT_EQ(named_edges(kText.read("  1 \t 2  \n\n \t \n% x\n3 4\n # y\n5 6")), expected);
  EXPECT_EQ(named_edges(kText.read("\xef\xbb\xbf"
                                   "1 2\n3 4\n5 6\r")),
            expected);
}

TEST(ReadText, IdsAbove32BitsAndUpTo63) {
  const NamedEdges expected = {{"1", "2"}, {"4294967296", "9223372036854775807"}, {"1", "0"}};
  const std::string text = "1 2\n4294967296 9223372036854775807\n1 0\n";
  for (const std::size_t block_bytes : {1u, 1000u}) {
    EXPECT_EQ(named_edges(read_string(Format::kText, text, {}, block_bytes)), expected);
  }
}

TEST(ReadText, WeightsOnlyIfWanted) {
  const std::string text = "1 2 0.5\n2 3 -1e3\n3 1 7 \n";
  const EdgeList list = kText.read(text, {.want_weights = true});
  EXPECT_EQ(named_edges(list), (NamedEdges{{"1", "2", 0.5}, {"2", "3", -1000}, {"3", "1", 7}}));
  EXPECT_EQ(list.note, "");
  const EdgeList bare = kText.read(text);
  EXPECT_TRUE(bare.weights.empty());
  EXPECT_EQ(bare.note, "column 3 is ignored");
  EXPECT_TRUE(kText.read("1 2\n", {.want_weights = true}).weights.empty());
}

TEST(ReadText, WeightedFormat) {
  const EdgeList list = kWeighted.read("1 2 3\n");
  EXPECT_TRUE(list.weights.empty());
  EXPECT_EQ(list.note, "");
  kWeighted.expect_bad("1 2 3\n1 2\n", 2, "2 columns, 3 expected (source, target, weight)");
}

TEST(ReadText, BareFormatHasTwoColumns) {
  for (const bool want_weights : {false, true}) {
    const ReadOptions options{.want_weights = want_weights};
    EXPECT_EQ(kBare.read("# c\n1 2\n2 3 \n", options).edges.size(), 2u);
    for (const char* text : {"1 2\n2 3 5\n", "a b\nb c 5\n"})
      kBare.expect_bad(text, 2, "3 columns, 2 expected", options);
    kBare.expect_bad("1 2 5\n2 3 5\n", 1, "3 columns, 2 expected (source, target)", options);
  }
}

TEST(ReadText, MoreColumnsAreNamed) {
  EXPECT_EQ(kText.read("1 2 3 x yz\n4 5 6\n7 8\n").note, "columns 3, 4, 5 are ignored");
  EXPECT_EQ(kText.read("1 2 3 x\n4 5 6\n", {.want_weights = true}).note, "column 4 is ignored");
}

TEST(ReadText, StringNames) {
  const EdgeList list = kText.read("bob ann\nann Zoë\n# c\nzoe 17\n");
  EXPECT_FALSE(list.names.is_integer());
  EXPECT_THAT(all_names(list), ElementsAre("17", "Zoë", "ann", "bob", "zoe"));
  EXPECT_EQ(named_edges(list), (NamedEdges{{"bob", "ann"}, {"ann", "Zoë"}, {"zoe", "17"}}));
  const EdgeList weighted = kText.read("a b 2\nb c 3\n", {.want_weights = true});
  EXPECT_EQ(named_edges(weighted), (NamedEdges{{"a", "b", 2}, {"b", "c", 3}}));
}

TEST(ReadText, TabsSeparateStringsInTsv) {
  const EdgeList list = kTabs.read("Ann Lee\tBob\t1\nBob\tCarl M.\t2\n", {.want_weights = true});
  EXPECT_EQ(named_edges(list), (NamedEdges{{"Ann Lee", "Bob", 1}, {"Bob", "Carl M.", 2}}));
  EXPECT_EQ(named_edges(kTabs.read("1 2\n3\t4\n")), (NamedEdges{{"1", "2"}, {"3", "4"}}));
}

TEST(ReadText, EachTabOfATsvDividesTwoColumns) {
  const ReadOptions weights{.want_weights = true};
  kTabs.expect_bad("1\t2\t3\t9\n1\t\t4\t5\n", 2, "expected a vertex id", weights);
  kTabs.expect_bad("1\t2\t3\t9\n1\t7\t\t5\n", 2, "expected a weight", weights);
  kTabs.expect_bad("1\t2\n\t3\t4\n", 2, "expected a vertex id");
  kTabs.expect_bad("source\ttarget\tweight\n1\t\t2\n3\t4\t5\n", 2, "a vertex name is empty",
                   weights);
  EXPECT_EQ(named_edges(kTabs.read(" 1 \t 2 \t 3\n4\t5\t6\t\n", weights)),
            (NamedEdges{{"1", "2", 3}, {"4", "5", 6}}));
}

TEST(ReadText, WholeWeightsAreNotRounded) {
  const ReadOptions weights{.want_weights = true};
  kText.expect_bad("1 2 9007199254740993\n", 1, "would be rounded", weights);
  kText.expect_bad("a b 100000000000000000001\n", 1, "would be rounded", weights);
  EXPECT_EQ(named_edges(kText.read("1 2 9007199254740993.0\n2 3 0009007199254740992\n", weights)),
            (NamedEdges{{"1", "2", 9007199254740992}, {"2", "3", 9007199254740992}}));
}

TEST(ReadText, HeaderLine) {
  const EdgeList list = kText.read("FromNodeId\tToNodeId\n1\t2\n");
  EXPECT_EQ(named_edges(list), (NamedEdges{{"1", "2"}}));
  EXPECT_THAT(list.note, HasSubstr("line 1 is taken as the names of the columns"));
}

TEST(ReadText, BadLines) {
  kText.expect_bad("1 2\n3\n", 2, "1 column, 2 expected (source, target)");
  kText.expect_bad("1\n", 1, "1 column, 2 expected");
  kText.expect_bad("# c\n\n1 2\n-3 4\n", 4, "vertex id -3 is negative");
  kText.expect_bad("-1 2\n", 1, "vertex id -1 is negative");
  kText.expect_bad("1 2\n1 9223372036854775808\n", 2,
                   "vertex id 9223372036854775808 is above 9223372036854775807");
  kText.expect_bad("1 2\n1 99999999999999999999999\n", 2, "is above 9223372036854775807");
  kText.expect_bad("1 2\n3 x\n5 6", 2, "expected a vertex id (an integer), found 'x'");
  kText.expect_bad("1 2\n3 4x\n", 2, "found '4x'");
  kText.expect_bad("1.5 2\n", 1, "found '1.5'");
  kText.expect_bad("1 2\n3 4\n5 6\n7,8\n", 4, "found '7,8'");
  kText.expect_bad("4294967296 2\n3 x\n", 2, "found 'x'");
}

TEST(ReadText, BadWeights) {
  const ReadOptions weights{.want_weights = true};
  kText.expect_bad("1 2 3\n1 2\n", 2, "2 columns, 3 expected", weights);
  for (const char* weight : {"nan", "inf", "-inf", "x", "2.5.1", "3,5"}) {
    kText.expect_bad("1 2 3\n1 2 " + std::string(weight) + "\n", 2, "expected a weight", weights);
  }
  kText.expect_bad("1 2 1e400\n", 1, "weight 1e400 is too large for a double", weights);
  kText.expect_bad("1 2 -1e400\n", 1, "weight -1e400 is too large for a double", weights);
  kText.expect_bad("1 2 1e-400\n", 1, "weight 1e-400 is too small for a double", weights);
}

TEST(ReadText, BadStrings) {
  kText.expect_bad("ann bob\nann\n", 2, "1 column, 2 expected");
  kText.expect_bad("ann bob\nann \xff\xfe\n", 2, "UTF-8");
  kText.expect_bad("ann bob\nann \x01\n", 2, "UTF-8");
}

TEST(ReadText, NoEdgesIsAnErrorNotAnEmptyGraph) {
  kText.expect_bad("\n\n", 2, "without any edge");
  kText.expect_bad("# only\n# comments\n", 2, "without any edge");
  kText.expect_bad("FromNodeId ToNodeId\n\n", 2, "without any edge");
}

TEST(ReadText, BinaryAndOtherFormats) {
  std::string binary(200, '\0');
  std::mt19937 random(5);
  for (char& c : binary) c = static_cast<char>(random());
  EXPECT_THROW(kText.read(binary), InputError);
  kText.expect_bad(std::string("1 2\n\0\0\n", 7), 2, "binary data, not text");
  kText.expect_bad(std::string("\0\0\0", 3), 1, "binary data, not text");
  kText.expect_bad(std::string("1 2\0\n", 5), 1, "binary data, not text");
  kText.expect_bad("%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1\n", 1,
                   "give --format mtx");
}

TEST(ReadText, OverlongLines) {
  const std::string blanks(1 << 21, ' ');
  expect_input_error([&] { kText.read("1 2\n3 4 " + blanks + "x\n"); }, 2,
                     "longer than 1048576 bytes");
  expect_input_error([&] { kText.read("1 2\n#" + blanks + "\n3 4\n"); }, 2, "longer than");
  expect_input_error([&] { kText.read("a b\nc d " + blanks + "x\n"); }, 2, "longer than");
}

// Any split into blocks and chunks gives the same list.
TEST(ReadText, ChunkBoundaries) {
  std::mt19937_64 random(11);
  for (const bool strings : {false, true}) {
    std::string text = "# comment\n";
    for (int i = 0; i < 40; ++i) {
      const std::string prefix = strings ? "n" : "";
      text += prefix + std::to_string(random() % 30) + " " + prefix +
              std::to_string(random() >> (random() % 64) >> 1) + " " +
              std::to_string(random() % 100) + "\n";
      if (i % 9 == 3) text += "\n# in between\n";
    }
    text.pop_back();
    const NamedEdges expected = named_edges(kText.read(text, {.want_weights = true}));
    ASSERT_EQ(expected.size(), 40u);
    for (std::size_t bytes = 1; bytes < text.size() + 2; bytes += 1 + bytes / 4) {
      for (const ParallelFor& parallel : {serial_for(), backwards_for(), threaded_for()}) {
        const ReadOptions options{.want_weights = true, .chunk_bytes = bytes};
        EXPECT_EQ(named_edges(read_string(Format::kText, text, options, 1 << 20, parallel)),
                  expected);
        EXPECT_EQ(named_edges(read_string(Format::kText, text, options, 3 * bytes, parallel)),
                  expected);
      }
    }
  }
}

TEST(ReadText, ReportsProgress) {
  std::vector<double> seen;
  ReadOptions options{.progress = [&](double fraction) { seen.push_back(fraction); }};
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "1 2\n";
  read_string(Format::kText, text, options, 500);
  EXPECT_GT(seen.size(), 4u);
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
  EXPECT_EQ(seen.back(), 1.0);
}

}  // namespace
}  // namespace grappa::graph
