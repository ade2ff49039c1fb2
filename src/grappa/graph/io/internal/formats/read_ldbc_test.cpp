#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "grappa/graph/load/load.hpp"
#include "tests/support/graph_files.hpp"

namespace grappa::graph {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

EdgeList read(std::string_view vertices, std::string_view edges, io::ReadOptions options = {},
              std::size_t bytes = 1000000) {
  options.chunk_bytes = bytes;
  io::LineReader vertex_reader(io::Input::from_memory(vertices, "graph.v"), {.block_bytes = bytes});
  io::LineReader edge_reader(io::Input::from_memory(edges, "graph.e"), {.block_bytes = bytes});
  EdgeList list = io::read_ldbc(&vertex_reader, edge_reader, options, backwards_for());
  expect_sound(list);
  return list;
}

void expect_bad(std::string_view vertices, std::string_view edges, std::int64_t line,
                std::string_view message, const io::ReadOptions& options = {}) {
  for (const std::size_t bytes : {1u, 1000000u}) {
    expect_input_error([&] { read(vertices, edges, options, bytes); }, line, message);
  }
}

TEST(ReadLdbc, WithoutEdges) {
  const TemporaryFolder folder;
  folder.write("a.v", "1\n2\n");
  const std::string path = folder.write("a.e", "");
  const EdgeList list = load_edge_list({.path = path}, serial_for());
  expect_sound(list);
  EXPECT_THAT(all_names(list), ElementsAre("1", "2"));
  EXPECT_TRUE(list.edges.empty());
  expect_input_error([&] { load_edge_list({.path = folder.write("b.e", "")}, serial_for()); }, 0,
                     "is empty");
}

TEST(ReadLdbc, WeightsThatBeginLater) {
  expect_bad("1\n2\n", "1 2\n2 1 5\n", 2, "3 columns, 2 expected", {.want_weights = true});
}

TEST(ReadLdbc, VerticesWithoutEdgesCount) {
  for (const std::size_t bytes : {1u, 5u, 1000000u}) {
    const EdgeList list =
        read("10\n4\n7\n99 Bob\n", "4 10 0.5\n10 4 1.5\n", {.want_weights = true}, bytes);
    EXPECT_TRUE(list.directed);
    EXPECT_THAT(all_names(list), ElementsAre("4", "7", "10", "99"));
    EXPECT_EQ(named_edges(list), (NamedEdges{{"4", "10", 0.5}, {"10", "4", 1.5}}));
  }
  EXPECT_TRUE(read("1\n2\n", "1 2 0.5\n").weights.empty());
  EXPECT_EQ(read("1\n2\n", "1 2 0.5\n").note, "");
  EXPECT_EQ(read("1\n2\n", "\n").vertex_count, 2);
}

TEST(ReadLdbc, SparseIds) {
  const EdgeList list =
      read("9223372036854775807\n1\n50000000000\n", "1 9223372036854775807\n50000000000 1\n");
  EXPECT_EQ(named_edges(list), (NamedEdges{{"1", "9223372036854775807"}, {"50000000000", "1"}}));
}

TEST(ReadLdbc, BadFiles) {
  expect_bad("1\n2\n", "1 2\n1 3\n", 2, "graph.e:2: vertex 3 is not listed in graph.v");
  expect_bad("1\n2\n", "1\n", 1, "1 column, 2 expected");
  expect_bad("1\nx\n", "1 1\n", 2, "graph.v:2: expected a vertex id (an integer), found 'x'");
  expect_bad("1\n-2\n", "1 1\n", 2, "negative");
  expect_bad("1\n2x\n", "1 1\n", 2, "found '2x'");
  expect_bad("1\n2\n1\n", "1 1\n", 0, "vertex 1 is listed twice");
  expect_bad("\n\n", "1 1\n", 2, "the file ends without any vertex");
  expect_bad("1\n", "1 1 0.5\n1 1\n", 2, "2 columns, 3 expected", {.want_weights = true});
}

TEST(ReadLdbc, FilesAreFoundFromEitherName) {
  const TemporaryFolder folder;
  folder.write("a.v", "1\n2\n3\n");
  folder.write("a.e", "1 2\n");
  for (const char* name : {"a.v", "a.e"}) {
    const EdgeList list = load_edge_list({.path = folder.path(name)}, serial_for());
    EXPECT_EQ(list.vertex_count, 3);
    EXPECT_EQ(named_edges(list), (NamedEdges{{"1", "2"}}));
    EXPECT_TRUE(list.directed);
  }
  EXPECT_EQ(load_edge_list({.path = folder.path("a"), .format = Format::kLdbc}, serial_for())
                .vertex_count,
            3);
  folder.write("a.properties", "# x\ngraph.a.vertex-file = a.v\ngraph.a.directed = false\n");
  EXPECT_FALSE(load_edge_list({.path = folder.path("a.e")}, serial_for()).directed);
  EXPECT_TRUE(
      load_edge_list({.path = folder.path("a.e"), .directed = true}, serial_for()).directed);
  folder.write("a.properties", "graph.a.directed = maybe\n");
  expect_input_error([&] { load_edge_list({.path = folder.path("a.e")}, serial_for()); }, 1,
                     "expected true or false, found 'maybe'");
}

TEST(ReadLdbc, EdgesAlone) {
  const TemporaryFolder folder;
  folder.write("a.e", "1 2\n");
  const EdgeList list = load_edge_list({.path = folder.path("a.e")}, serial_for());
  EXPECT_EQ(list.vertex_count, 2);
  EXPECT_THAT(list.note, HasSubstr("no file of vertices"));
}

TEST(ReadLdbc, VerticesAlone) {
  const TemporaryFolder folder;
  folder.write("a.v", "1\n");
  expect_input_error([&] { load_edge_list({.path = folder.path("a.v")}, serial_for()); }, 0,
                     "a.e: cannot open");
}

}  // namespace
}  // namespace grappa::graph
