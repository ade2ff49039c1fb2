#include "grappa/graph/io/save.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "grappa/graph/load/load.hpp"
#include "tests/support/graph_files.hpp"

namespace grappa::graph {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

enum class Weights { kNone, kIntegers, kReals };

// Edges between random pairs of `vertices`; self-loops and duplicates happen.
EdgeList random_list(std::uint64_t seed, std::int64_t vertices, std::size_t edges, bool directed,
                     Weights weights) {
  std::mt19937_64 random(seed);
  EdgeList list;
  list.vertex_count = vertices;
  list.directed = directed;
  const auto n = static_cast<std::uint64_t>(vertices);
  for (std::size_t i = 0; i < edges; ++i) {
    list.edges.push_back(
        {static_cast<VertexId>(random() % n), static_cast<VertexId>(random() % n)});
    if (weights == Weights::kIntegers) {
      list.weights.push_back(static_cast<double>(1 + random() % 1000));
    } else if (weights == Weights::kReals) {
      list.weights.push_back(std::ldexp(static_cast<double>(random()), -70));
    }
  }
  return list;
}

VertexNames random_integer_names(std::uint64_t seed, std::int64_t count) {
  std::mt19937_64 random(seed);
  std::set<std::uint64_t> names;
  while (static_cast<std::int64_t>(names.size()) < count)
    names.insert(random() >> (1 + random() % 40));
  return VertexNames::integers({names.begin(), names.end()});
}

VertexNames string_names(const std::set<std::string>& names) {
  std::string bytes;
  std::vector<std::uint64_t> offsets = {0};
  for (const std::string& name : names) {
    bytes += name;
    offsets.push_back(bytes.size());
  }
  return VertexNames::strings(std::move(bytes), std::move(offsets));
}

// Only the vertices that have edges, as formats without a list of vertices give them back.
EdgeList without_isolated(const EdgeList& list) {
  std::set<VertexId> used;
  for (const Edge& edge : list.edges) used.insert({edge.source, edge.target});
  std::vector<VertexId> place(static_cast<std::size_t>(list.vertex_count));
  VertexId next = 0;
  std::set<std::string> names;
  for (const VertexId id : used) {
    place[id] = next++;
    names.insert(list.names.name(id));
  }
  EdgeList out = list;
  for (Edge& edge : out.edges) edge = {place[edge.source], place[edge.target]};
  out.vertex_count = next;
  if (list.names.is_integer()) {
    std::vector<std::uint64_t> integers;
    for (const VertexId id : used) integers.push_back(list.names.integer(id));
    out.names = VertexNames::integers(std::move(integers));
  } else {
    out.names = string_names(names);
  }
  return out;
}

void expect_same(const EdgeList& expected, const EdgeList& found) {
  EXPECT_EQ(found.directed, expected.directed);
  EXPECT_EQ(found.vertex_count, expected.vertex_count);
  EXPECT_EQ(all_names(found), all_names(expected));
  EXPECT_EQ(canonical_edges(found), canonical_edges(expected));
}

EdgeList round_trip(const TemporaryFolder& folder, const EdgeList& list, const std::string& name,
                    std::optional<bool> directed = {}) {
  save_edge_list(list, {.path = folder.path(name)}, threaded_for());
  return load_edge_list({.path = folder.path(name),
                         .directed = directed,
                         .want_weights = true,
                         .chunk_bytes = 200,
                         .block_bytes = 1000},
                        threaded_for());
}

const char* const kCompressions[] = {"", ".gz", ".zst"};

TEST(Save, FormatsThatKeepNames) {
  const TemporaryFolder folder;
  std::uint64_t seed = 0;
  for (const bool directed : {true, false}) {
    for (const Weights weights : {Weights::kNone, Weights::kIntegers, Weights::kReals}) {
      for (const char* format : {"txt", "tsv", "el", "wel", "csv"}) {
        EdgeList list = random_list(++seed, 50, 120, directed, weights);
        list.names = random_integer_names(seed, list.vertex_count);
        EdgeList expected = without_isolated(list);
        if (std::string_view(format) == "wel" && weights == Weights::kNone) {
          expected.weights.assign(expected.edges.size(), 1.0);
        }
        if (std::string_view(format) == "el") expected.weights.clear();
        for (const char* compression : kCompressions) {
          SCOPED_TRACE(std::string("a.") + format + compression);
          expect_same(expected,
                      round_trip(folder, list, std::string("a.") + format + compression, directed));
        }
      }
    }
  }
}

TEST(Save, FormatsThatSayWhetherTheyAreDirected) {
  const TemporaryFolder folder;
  for (const bool directed : {true, false}) {
    for (const char* name : {"a.txt", "a.tsv", "a.mtx", "a.sg", "a.e"}) {
      EdgeList list = random_list(5, 20, 60, directed, Weights::kNone);
      list.names = VertexNames::range(0, 20);
      EXPECT_EQ(round_trip(folder, list, name).directed, directed) << name;
    }
  }
}

TEST(Save, FormatsThatNumberVertices) {
  const TemporaryFolder folder;
  std::uint64_t seed = 100;
  const std::pair<const char*, std::uint64_t> formats[] = {
      {"mtx", 1}, {"gr", 1}, {"sg", 0}, {"wsg", 0}};
  for (const bool directed : {true, false}) {
    for (const Weights weights : {Weights::kNone, Weights::kIntegers}) {
      for (const auto& [format, first] : formats) {
        EdgeList list = random_list(++seed, 40, 100, directed, weights);
        list.names = VertexNames::range(first, 40);
        EdgeList expected = list;
        const std::string_view name = format;
        if (name == "sg") expected.weights.clear();
        if (name == "wsg" && weights == Weights::kNone) expected.weights.assign(100, 1.0);
        if (name == "gr" && directed && weights == Weights::kNone) {
          expected.weights.assign(100, 1.0);
        }
        if (name == "gr" && !directed && weights != Weights::kNone) make_directed(expected);
        for (const char* compression : kCompressions) {
          SCOPED_TRACE(std::string("a.") + format + compression);
          expect_same(expected, round_trip(folder, list, std::string("a.") + format + compression));
        }
      }
    }
  }
}

TEST(Save, MatrixMarketKeepsReals) {
  const TemporaryFolder folder;
  EdgeList list = random_list(9, 30, 80, true, Weights::kReals);
  list.weights[0] = -0.1;
  list.weights[1] = 1e300;
  list.weights[2] = std::numeric_limits<double>::max();
  list.weights[3] = 5e-324 * 1e10;
  list.names = VertexNames::range(1, 30);
  expect_same(list, round_trip(folder, list, "a.mtx"));
}

TEST(Save, Metis) {
  const TemporaryFolder folder;
  for (const Weights weights : {Weights::kNone, Weights::kIntegers}) {
    EdgeList list = random_list(21, 40, 100, false, weights);
    list.names = VertexNames::range(1, 40);
    EdgeList expected = list;
    simplify(expected, serial_for());
    for (const char* compression : kCompressions) {
      expect_same(expected, round_trip(folder, list, std::string("a.graph") + compression));
    }
  }
}

TEST(Save, Ldbc) {
  const TemporaryFolder folder;
  for (const bool directed : {true, false}) {
    for (const Weights weights : {Weights::kNone, Weights::kReals}) {
      EdgeList list = random_list(31, 40, 30, directed, weights);
      list.names = random_integer_names(31, 40);
      for (const char* compression : kCompressions) {
        expect_same(list, round_trip(folder, list, std::string("a.e") + compression));
      }
      expect_same(list, round_trip(folder, list, "b.v"));
    }
  }
}

TEST(Save, LdbcGoesToFilesOnly) {
  const TemporaryFolder folder;
  const std::string link = folder.path("link");
  std::filesystem::create_symlink("/dev/null", link);
  for (const std::string& path : {std::string("-"), std::string("/dev/null"),
                                  std::string("/dev/stdout"), link, folder.path("")}) {
    EXPECT_THROW(files_to_save({.path = path, .format = Format::kLdbc}), UsageError) << path;
    EXPECT_THROW(save_edge_list(random_list(1, 4, 3, true, Weights::kNone),
                                {.path = path, .format = Format::kLdbc}, serial_for()),
                 UsageError)
        << path;
  }
}

TEST(Save, StringNames) {
  const TemporaryFolder folder;
  EdgeList list = random_list(41, 4, 30, true, Weights::kNone);
  list.names = string_names({"Ann Lee", "Bob", "Carl \"C\", jr.", "Zoë"});
  for (const char* name : {"a.csv", "a.tsv", "a.csv.gz"}) {
    expect_same(list, round_trip(folder, list, name));
  }
  EXPECT_THROW(round_trip(folder, list, "a.txt"), UsageError) << "blanks in names";
  EXPECT_THROW(round_trip(folder, list, "b.e"), UsageError) << "LDBC has integers";
  list.names = string_names({"#a", "b", "c", "d"});
  EXPECT_THROW(round_trip(folder, list, "a.txt"), UsageError) << "would be a comment";
  expect_same(list, round_trip(folder, list, "a.csv"));
  list.names = string_names({"a", "b", "c", "d"});
  expect_same(list, round_trip(folder, list, "a.txt"));
}

TEST(Save, GeneratedListsAreSimplified) {
  const TemporaryFolder folder;
  EdgeList list = random_list(51, 10, 100, false, Weights::kNone);
  list.names = VertexNames::range(0, 10);
  list.needs_simplify = true;
  EdgeList expected = list;
  simplify(expected, serial_for());
  for (const char* name : {"a.txt", "a.sg"}) {
    expect_same(expected, round_trip(folder, list, name));
  }
}

TEST(Save, NotesWhatAFormatCannotHold) {
  const TemporaryFolder folder;
  EdgeList list = random_list(61, 100, 20, false, Weights::kIntegers);
  list.names = random_integer_names(61, 100);
  const auto note = [&](const char* name) {
    return save_edge_list(list, {.path = folder.path(name)}, serial_for());
  };
  EXPECT_THAT(note("a.txt"), HasSubstr("vertices without edges are left out"));
  EXPECT_THAT(note("a.el"), HasSubstr("read it with --undirected"));
  EXPECT_THAT(note("a.el"), HasSubstr("weights are left out"));
  EXPECT_THAT(note("a.csv"), HasSubstr("read it with --undirected"));
  EXPECT_THAT(note("a.mtx"), HasSubstr("vertices are renumbered 1 ... 100"));
  EXPECT_THAT(note("a.sg"), HasSubstr("vertices are renumbered 0 ... 99"));
  EXPECT_THAT(note("a.sg"), HasSubstr("weights are left out"));
  EXPECT_THAT(note("a.gr"), HasSubstr("two arcs each"));
  EXPECT_EQ(note("a.e"), "");
  list.weights.clear();
  EXPECT_THAT(note("a.wel"), HasSubstr("there are no weights: all are 1"));
  list.edges.push_back({3, 3});
  EXPECT_THAT(note("a.graph"), HasSubstr("self-loops and duplicates are left out"));
}

TEST(Save, RefusalsLeaveNothingBehind) {
  const TemporaryFolder folder;
  EdgeList list = random_list(71, 10, 20, true, Weights::kReals);
  list.names = VertexNames::range(1, 10);
  const auto refuse = [&](const std::string& name, std::string_view message) {
    try {
      save_edge_list(list, {.path = folder.path(name)}, serial_for());
      ADD_FAILURE() << name;
    } catch (const UsageError& error) {
      EXPECT_THAT(error.what(), HasSubstr(std::string(message)));
    }
    EXPECT_THAT(folder.entries(), IsEmpty());
  };
  refuse("a.graph", "give --undirected");
  refuse("a.gr", "this format has integers");
  refuse("a.wsg", "this format has integers from -2147483648 to 2147483647");
  refuse("a.foo", "not a graph format");
  refuse("absent/a.txt", "No such file or directory");
  refuse("absent/a.e", "No such file or directory");
  list.directed = false;
  refuse("a.graph", "this format has integers from 1");
}

TEST(Save, AGivenFormatGoesBeforeTheName) {
  const TemporaryFolder folder;
  EdgeList list = random_list(81, 5, 3, true, Weights::kNone);
  list.names = VertexNames::range(1, 5);
  save_edge_list(list, {.path = folder.path("a.txt"), .format = Format::kMatrixMarket},
                 serial_for());
  EXPECT_TRUE(file_content(folder.path("a.txt")).starts_with("%%MatrixMarket"));
}

TEST(Save, ManyLinesComeInOrder) {
  const TemporaryFolder folder;
  EdgeList list = random_list(91, 1000, 3'000'000, true, Weights::kNone);
  list.names = VertexNames::range(0, 1000);
  save_edge_list(list, {.path = folder.path("a.el")}, threaded_for());
  const EdgeList found = load_edge_list({.path = folder.path("a.el")}, threaded_for());
  EXPECT_TRUE(
      std::equal(found.edges.begin(), found.edges.end(), list.edges.begin(), list.edges.end()));
}

}  // namespace
}  // namespace grappa::graph
