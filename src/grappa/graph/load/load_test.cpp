#include "grappa/graph/load/load.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <utility>

#include "grappa/graph/load/internal/load_estimate.hpp"
#include "tests/support/graph_files.hpp"

namespace grappa::graph {
namespace {

using testing::HasSubstr;

EdgeList load(const std::string& path, const ParallelFor& parallel = serial_for()) {
  EdgeList list = load_edge_list({.path = path}, parallel);
  expect_sound(list);
  return list;
}

// Standard input is that file while this lives.
class StandardInput {
 public:
  explicit StandardInput(const std::string& path) : saved_(::dup(STDIN_FILENO)) {
    const int file = ::open(path.c_str(), O_RDONLY);
    ::dup2(file, STDIN_FILENO);
    ::close(file);
  }
  ~StandardInput() {
    ::dup2(saved_, STDIN_FILENO);
    ::close(saved_);
  }

 private:
  int saved_;
};

// In the middle of reading, the file is cut, or written to, or replaced by another one.
TEST(Load, FilesThatChangeWhileTheyAreRead) {
  const TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 100000; ++i) text += std::to_string(i) + " " + std::to_string(i + 1) + "\n";
  const auto load_while = [&](const std::function<void(const std::string& path)>& change) {
    const std::string path = folder.write("a.txt", text);
    bool is_first = true;
    const ParallelFor parallel = [&](std::int64_t n, const auto& body) {
      if (std::exchange(is_first, false)) change(path);
      serial_for()(n, body);
    };
    return load_edge_list({.path = path, .chunk_bytes = 1000}, parallel).edges.size();
  };
  expect_input_error(
      [&] { load_while([](const auto& path) { std::filesystem::resize_file(path, 10000); }); }, 0,
      "a.txt: changed while it was read");
  expect_input_error(
      [&] { load_while([](const auto& path) { std::ofstream(path, std::ios::app) << "7 8\n"; }); },
      0, "a.txt: changed while it was read");
  EXPECT_EQ(load_while([&](const auto& path) {
              std::filesystem::rename(folder.write("b.txt", "1 2\n"), path);
            }),
            100000u);
}

TEST(Load, StandardInput) {
  const TemporaryFolder folder;
  {
    const StandardInput input(folder.write("a", "1 2\n3 4\n"));
    EXPECT_EQ(named_edges(load("-")), (NamedEdges{{"1", "2"}, {"3", "4"}}));
  }
  {
    const StandardInput input(folder.write("b", "p edge 3 1\ne 1 2\n"));
    const EdgeList list = load_edge_list({.path = "-", .format = Format::kDimacs}, serial_for());
    EXPECT_EQ(list.vertex_count, 3);
  }
  {
    const StandardInput input(folder.write("c", "1 2\n3\n"));
    expect_input_error([] { load("-"); }, 2, "standard input:2: 1 column");
  }
  {
    const StandardInput input(folder.write("d", ""));
    expect_input_error([] { load("-"); }, 0, "standard input: is empty");
    EXPECT_FALSE(estimate_load({.path = "-"}).known);
  }
}

TEST(Load, NamedPipe) {
  const TemporaryFolder folder;
  const std::string path = folder.path("pipe.txt");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_FALSE(estimate_load({.path = path}).known) << "must not take anything out of it";
  std::thread writer([&] { folder.write("pipe.txt", "1 2\n"); });
  EXPECT_EQ(load(path).edges.size(), 1u);
  writer.join();
}

TEST(Load, FormatGivenOrUnknown) {
  const TemporaryFolder folder;
  const std::string path = folder.write("a.foo", "1,2\n");
  EXPECT_THROW(load(path), UsageError);
  EXPECT_EQ(load_edge_list({.path = path, .format = Format::kCsv}, serial_for()).edges.size(), 1u);
}

TEST(Load, Generators) {
  const EdgeList kron = load("kron:5:2", threaded_for());
  EXPECT_EQ(kron.vertex_count, 32);
  EXPECT_EQ(kron.edges.size(), 64u);
  EXPECT_FALSE(kron.directed);
  EXPECT_TRUE(kron.needs_simplify);
  const EdgeList grid =
      load_edge_list({.path = "grid:2x3", .directed = true, .want_weights = true}, serial_for());
  EXPECT_EQ(grid.edges.size(), 14u);
  EXPECT_EQ(grid.weights.size(), 14u);
  EXPECT_THROW(load("kron:99"), UsageError);
}

TEST(Load, MissingFilesAndFolders) {
  const TemporaryFolder folder;
  for (const FormatInfo& info : format_names()) {
    const std::string path = folder.path("absent." + std::string(info.name));
    EXPECT_THROW(load(path), InputError) << path;
    EXPECT_THROW(estimate_load({.path = path}), InputError) << path;
  }
  std::filesystem::create_directory(folder.path("a.txt"));
  expect_input_error([&] { load(folder.path("a.txt")); }, 0, "is a directory");
  expect_input_error([&] { estimate_load({.path = folder.path("a.txt")}); }, 0, "is a directory");
}

// Whatever the format, an empty or random file is refused, never crashes, is never an empty graph.
TEST(Load, EmptyAndRandomFilesOfEveryFormat) {
  const TemporaryFolder folder;
  std::mt19937_64 random(8);
  for (const FormatInfo& info : format_names()) {
    for (const std::string compression : {"", ".gz", ".zst"}) {
      const std::string name = "a." + std::string(info.name) + compression;
      EXPECT_THROW(load(folder.write(name, "")), InputError) << name;
      std::string garbage(5000, '\0');
      for (char& c : garbage) c = static_cast<char>(random());
      EXPECT_THROW(load(folder.write(name, garbage)), InputError) << name;
      EXPECT_THROW(load(folder.write(name, std::string(5000, '\0'))), InputError) << name;
      EXPECT_THROW(load(folder.write(name, std::string(5000, '\n'))), InputError) << name;
    }
  }
}

// The graphs that the kernels are tried on, where they are at hand.
class SampleGraphs : public testing::Test {
 protected:
  void SetUp() override {
    const char* given = std::getenv("GRAPPA_SAMPLE_GRAPHS");
    folder_ = given != nullptr ? given : std::string(GRAPPA_SOURCE_DIR) + "/../shared/graphs";
    if (!std::filesystem::is_directory(folder_)) {
      GTEST_SKIP() << "no folder of sample graphs at " << folder_;
    }
  }

  void expect(const std::string& name, std::int64_t vertices, std::size_t edges, bool directed) {
    const std::string path = folder_ + "/" + name;
    const EdgeList list = load(path, threaded_for());
    EXPECT_EQ(list.vertex_count, vertices);
    EXPECT_EQ(list.edges.size(), edges);
    EXPECT_EQ(list.directed, directed);
    EXPECT_EQ(list.note, "");
    const LoadEstimate estimate = estimate_load({.path = path});
    EXPECT_EQ(estimate.vertices, vertices);
    EXPECT_EQ(estimate.edges, static_cast<std::int64_t>(edges));
  }

 private:
  std::string folder_;
};

TEST_F(SampleGraphs, HaveTheSizesThatTheyAnnounce) {
  expect("soc-Slashdot0902.txt.gz", 82168, 948464, true);
  expect("wiki-Vote.txt.gz", 7115, 103689, true);
  expect("email-Enron.txt.gz", 36692, 183831, false);
  expect("PGPgiantcompo.graph.gz", 10680, 24316, false);
}

TEST(LoadEstimate, CountsLinesWhereThereIsNoHeader) {
  const TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 200000; ++i) text += "1234 5678\n";
  const std::string path = folder.write("a.txt", text);
  const LoadEstimate estimate = estimate_load({.path = path});
  EXPECT_TRUE(estimate.known);
  EXPECT_NEAR(static_cast<double>(estimate.edges), 200000, 2000);
  constexpr std::uint64_t kVertex = kVertexBits == 32 ? 20 : 32;
  EXPECT_EQ(estimate.bytes, static_cast<std::uint64_t>(estimate.edges) * sizeof(Edge) +
                                static_cast<std::uint64_t>(estimate.vertices) * kVertex);
  const LoadEstimate weighted = estimate_load({.path = path, .want_weights = true});
  EXPECT_EQ(weighted.bytes - estimate.bytes, static_cast<std::uint64_t>(estimate.edges) * 8);
}

TEST(LoadEstimate, WideIdsAndStringsTakeMore) {
  const TemporaryFolder folder;
  const auto bytes = [&](std::string_view text) {
    return estimate_load({.path = folder.write("a.txt", text)}).bytes;
  };
  EXPECT_EQ(bytes("5000000000 1\n"), bytes("1 1\n") + (kVertexBits == 32 ? 24 : 0));
  EXPECT_EQ(bytes("ann bob\n"), bytes("1 1\n") + 24);
}

TEST(LoadEstimate, ReadsHeaders) {
  const TemporaryFolder folder;
  const auto counts = [&](const char* name, std::string_view text) {
    const LoadEstimate estimate = estimate_load({.path = folder.write(name, text)});
    return std::pair(estimate.vertices, estimate.edges);
  };
  using Counts = std::pair<std::int64_t, std::int64_t>;
  EXPECT_EQ(counts("a.mtx", "%%MatrixMarket matrix coordinate pattern general\n70 70 900\n"),
            Counts(70, 900));
  EXPECT_EQ(counts("a.graph", "70 900\n"), Counts(70, 900));
  EXPECT_EQ(counts("a.gr", "p sp 70 900\n"), Counts(70, 900));
  EXPECT_EQ(counts("a.txt", "# Nodes: 70 Edges: 900\n1 2\n"), Counts(70, 900));
  const LoadEstimate kron = estimate_load({.path = "kron:20"});
  EXPECT_EQ(kron.vertices, 1 << 20);
  EXPECT_EQ(kron.edges, 16 << 20);
  expect_input_error([&] { counts("b.mtx", "1 2\n"); }, 1, "MatrixMarket");
}

TEST(LoadEstimate, Ldbc) {
  const TemporaryFolder folder;
  folder.write("a.v", "1\n2\n3\n");
  folder.write("a.e", "1 2\n2 3\n");
  const LoadEstimate estimate = estimate_load({.path = folder.path("a.e")});
  EXPECT_EQ(estimate.vertices, 3);
  EXPECT_EQ(estimate.edges, 2);
}

}  // namespace
}  // namespace grappa::graph
