#include "grappa/graph/io/internal/formats/second_look.hpp"

#include <gtest/gtest.h>

#include <string>

#include "grappa/graph/load/load.hpp"
#include "tests/support/graph_files.hpp"

namespace grappa::graph {
namespace {

void expect_bad_file(const std::string& path, std::int64_t line, std::string_view message) {
  expect_input_error([&] { load_edge_list({.path = path}, serial_for()); }, line, message);
}

TEST(SecondLook, NamesTheLineOfAnEdgeThatIsOnOneSide) {
  const TemporaryFolder folder;
  expect_bad_file(folder.write("a.graph", "% rows\n4 3\n2\n1 3\n% a comment\n2 4\n\n"), 6,
                  "that from vertex 3 to 4");
  expect_bad_file(folder.write("b.graph", "4 2\n2\n1\n\n1\n"), 5, "that from vertex 4 to 1");
  expect_bad_file(folder.write("c.graph", "2 1 1\n2 5\n1 6\n"), 2, "that from vertex 1 to 2");
  expect_bad_file(folder.write("d.graph", "3 2 11 2\n9 9 2 5\n9 9 1 5 3 1\n9 9 2 1.5\n"), 3,
                  "that from vertex 2 to 3");
}

TEST(SecondLook, NamesTheLineOfAVertexThatIsListedTwice) {
  const TemporaryFolder folder;
  folder.write("a.v", "# ids\n7\n\n8 x\n9\n 8\n7\n");
  expect_bad_file(folder.write("a.e", "7 8\n"), 7, "a.v:7: vertex 7 is listed twice");
}

TEST(SecondLook, DoesNotReadAPipeAgain) {
  EXPECT_EQ(io::line_of_second("/dev/zero", 7), 0);
  EXPECT_EQ(io::find_one_sided_edge("standard input").line, 0);
}

}  // namespace
}  // namespace grappa::graph
