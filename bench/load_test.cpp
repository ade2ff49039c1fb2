// The parts of `bench load`: the serial loader, checksums of edges, the watch on memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "bench/edge_sum.hpp"
#include "bench/memory_peak.hpp"
#include "bench/serial_loader.hpp"
#include "grappa/base/error.hpp"
#include "grappa/graph/build/build.hpp"
#include "grappa/graph/load/load_parts.hpp"
#include "grappa/parallel/test_machines.hpp"

namespace grappa::bench {
namespace {

using graph::Edge;

/// A file of the text, gone with the object.
class TextFile {
 public:
  explicit TextFile(const std::string& text)
      : path_(std::filesystem::temp_directory_path() /
              ("grappa-load-test-" + std::to_string(::getpid()) + ".el")) {
    std::ofstream(path_) << text;
  }
  ~TextFile() { std::filesystem::remove(path_); }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

TEST(SerialLoader, ReadsTwoNumbersALine) {
  const TextFile file("# a comment\n# another\n1 2\n4\t0\n1 1\n");
  EXPECT_EQ(read_serially(file.path()), (std::vector<Edge>{{1, 2}, {4, 0}, {1, 1}}));
  EXPECT_TRUE(read_serially(TextFile("").path()).empty());
  EXPECT_THROW(read_serially(TextFile("1 2\n3 x\n").path()), Error);
  EXPECT_THROW(read_serially(TextFile("1 2\n3 4294967296\n").path()), Error);
}

TEST(SerialLoader, MakesAscendingRows) {
  const std::vector<Edge> edges = {{3, 0}, {1, 1}, {0, 1}, {3, 0}};
  const SerialRows undirected = build_serially(edges, false);
  EXPECT_EQ(undirected.offsets, (std::vector<std::uint64_t>{0, 3, 5, 5, 7}));
  EXPECT_EQ(undirected.targets, (std::vector<graph::VertexId>{1, 3, 3, 0, 1, 0, 0}));
  const SerialRows directed = build_serially(edges, true);
  EXPECT_EQ(directed.offsets, (std::vector<std::uint64_t>{0, 1, 2, 2, 4}));
  EXPECT_EQ(directed.targets, (std::vector<graph::VertexId>{1, 1, 0, 0}));
  EXPECT_EQ(build_serially({}, true).offsets, std::vector<std::uint64_t>{0});
}

TEST(EdgeSum, IsThatOfTheFileWhoeverReadsWhichPart) {
  std::string text;
  std::vector<Edge> edges;
  for (std::uint32_t i = 0; i < 3000; ++i) {
    edges.push_back({i * 7 % 900 * 3, i * i % 1000 * 2});
    text += std::to_string(edges.back().source) + " " + std::to_string(edges.back().target) + "\n";
  }
  const TextFile file(text);
  for (const Config& config : test::all_shapes()) {
    SCOPED_TRACE(test::describe(config));
    for (const bool directed : {false, true}) {
      run(config, [&] {
        graph::EdgeParts list = graph::load_edge_parts({.path = file.path(), .directed = directed});
        EXPECT_EQ(sum_of(list), sum_of_file(edges, directed));
        const Owned<graph::Graph> graph = graph::build_graph(list);
        EXPECT_EQ(sum_of(*graph), sum_of_file(edges, directed));
      });
    }
  }
}

TEST(EdgeSum, TellsEdgesApart) {
  const std::vector<Edge> edges = {{0, 1}, {1, 2}, {2, 2}, {0, 3}};
  const ArcSum sum = sum_of_file(edges, false);
  EXPECT_EQ(sum.arcs, 7);
  EXPECT_EQ(sum_of_file(edges, true).arcs, 4);
  // The numbers themselves do not matter, only their order.
  EXPECT_EQ(sum_of_file(std::vector<Edge>{{80, 30}, {20, 10}, {20, 30}, {30, 30}}, false).arcs, 7);
  EXPECT_EQ(sum_of_file(std::vector<Edge>{{10, 80}, {20, 10}, {20, 30}, {30, 30}}, false), sum);
  for (std::size_t i = 0; i < edges.size(); ++i) {
    std::vector<Edge> wrong = edges;
    wrong[i].target = (wrong[i].target + 1) % 4;
    EXPECT_NE(sum_of_file(wrong, false).sum, sum.sum) << i;
    EXPECT_NE(sum_of_file(wrong, true).sum, sum_of_file(edges, true).sum) << i;
  }
}

TEST(MemoryPeak, SeesWhatIsInUse) {
  constexpr std::size_t kBytes = std::size_t{64} << 20;
  MemoryPeak peak;
  for (int i = 0; i < 2; ++i) {
    peak.start();
    std::vector<char> memory(kBytes, 'x');
    EXPECT_GE(peak.stop(), kBytes);
    EXPECT_EQ(std::ranges::count(memory, 'x'), static_cast<std::ptrdiff_t>(kBytes));
  }
  peak.start();
  EXPECT_LT(peak.stop(), kBytes);
}

TEST(MemoryPeak, IsMadeBeforeTheRun) {
  run(test::threads(1), [] { EXPECT_THROW(MemoryPeak(), Error); });
}

}  // namespace
}  // namespace grappa::bench
