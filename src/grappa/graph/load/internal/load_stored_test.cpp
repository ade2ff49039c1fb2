#include "grappa/graph/load/internal/load_stored.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iterator>

#include "grappa/graph/io/internal/formats/stored_file.hpp"
#include "grappa/graph/io/save.hpp"
#include "grappa/graph/structure/collect.hpp"
#include "grappa/graph/test_graphs.hpp"
#include "grappa/parallel/test_allocations.hpp"
#include "tests/support/graph_files.hpp"
#include "tests/support/wide_ids.hpp"

namespace grappa::graph {
namespace {

using test::expect_same;
using test::TestGraph;

/// Of each vertex, something that its in-neighbors make, in their order.
std::vector<std::uint64_t> hashes_of_in_edges(const Graph& graph) {
  const Owned<GlobalArray<std::uint64_t>> hashes = graph.make_vertex_array<std::uint64_t>();
  on_all_locales([graph, hashes = *hashes] {
    for (std::int64_t v = graph.locale_begin(); v < graph.locale_end(); ++v) {
      std::uint64_t hash = 1;
      for (const VertexId u : graph.in().neighbors(v))
        hash = hash * 1000003 + static_cast<std::uint64_t>(u);
      hashes.locale_part()[static_cast<std::size_t>(v - graph.locale_begin())] = hash;
    }
  });
  return collect(*hashes, graph.vertex_count());
}

std::string save(const TemporaryFolder& folder, const TestGraph& test) {
  const std::string path = folder.path("a.grappa");
  save_edge_list(test::copy_of(test.list), {.path = path}, serial_for());
  return path;
}

void expect_loaded(const std::string& path, const TestGraph& test) {
  for (const BuildOptions& build : {BuildOptions{}, BuildOptions{.in_edges = true}}) {
    auto stored = load_stored_graph({.path = path, .want_weights = true}, build);
    ASSERT_TRUE(stored.has_value());
    const Owned<Graph> owned = test.build(build);
    const Graph& built = *owned;
    const Graph& loaded = *stored->graph;
    expect_same(SerialGraph::of(loaded), SerialGraph::of(built));
    EXPECT_EQ(loaded.edge_count(), built.edge_count());
    EXPECT_EQ(loaded.arc_count(), built.arc_count());
    EXPECT_EQ(loaded.has_in_edges(), built.has_in_edges());
    EXPECT_EQ(loaded.weight_type(), built.weight_type());
    EXPECT_EQ(loaded.weight_range().least, built.weight_range().least);
    EXPECT_EQ(loaded.weight_range().greatest, built.weight_range().greatest);
    EXPECT_EQ(stored->names.size(), loaded.vertex_count());
    if (built.has_in_edges()) {
      EXPECT_EQ(hashes_of_in_edges(loaded), hashes_of_in_edges(built));
    }
  }
}

TEST(LoadStored, TheGraphIsTheOneThatIsBuilt) {
  const TemporaryFolder folder;
  test::for_all_graphs([&](const TestGraph& test) { expect_loaded(save(folder, test), test); });
}

TEST(LoadStored, WithWeightsOfAllTypes) {
  const TemporaryFolder folder;
  test::for_all_graphs([&](const TestGraph& test) {
    if (test.list.edges.empty()) return;
    for (const WeightType type : {WeightType::kByte, WeightType::kWord, WeightType::kDouble}) {
      const TestGraph weighted = test::weighted(test, type);
      SCOPED_TRACE(weighted.name);
      expect_loaded(save(folder, weighted), weighted);
    }
  });
}

TEST(LoadStored, MorePiecesThanOne) {
  const TemporaryFolder folder;
  const TestGraph test = test::weighted(test::generated("kron:14"), WeightType::kByte);
  const std::string path = save(folder, test);
  for (const Config& config : {grappa::test::threads(2), grappa::test::cluster(3, 1)})
    run(config, [&] { expect_loaded(path, test); });
}

/// Makes the ids in a file 8 bytes wide.
void widen(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(in), {});
  std::ofstream(path, std::ios::binary) << with_wide_ids(bytes);
}

TEST(LoadStored, IdsOfEitherWidth) {
  const TemporaryFolder folder;
  const TestGraph test = test::weighted(test::generated("kron:14"), WeightType::kByte);
  const std::string path = save(folder, test);
  const auto in_memory = stored_graph_bytes(GraphInput({.path = path, .want_weights = true}), {});
  const auto on_disk = std::filesystem::file_size(path);
  widen(path);
  EXPECT_GT(std::filesystem::file_size(path), on_disk + 4 * test.list.edges.size());
  EXPECT_EQ(stored_graph_bytes(GraphInput({.path = path, .want_weights = true}), {}), in_memory);
  for (const Config& config : {grappa::test::threads(2), grappa::test::cluster(3, 1)})
    run(config, [&] { expect_loaded(path, test); });
}

TEST(LoadStored, OneRowOfManyPieces) {
  const TemporaryFolder folder;
  std::vector<Edge> star;
  for (std::uint32_t v = 0; v < 400'000; ++v) star.push_back({200'000, v});
  const TestGraph test{"star", test::make_list(400'000, false, star)};
  const std::string path = save(folder, test);
  for (const Config& config : {grappa::test::threads(2), grappa::test::cluster(2, 1)})
    run(config, [&] { expect_loaded(path, test); });
}

TEST(LoadStored, WeightsThatAreNotWantedAreLeftOut) {
  const TemporaryFolder folder;
  const TestGraph test = test::weighted(test::generated("grid:40x30"), WeightType::kWord);
  const std::string path = save(folder, test);
  run(grappa::test::cluster(2, 1), [&] {
    auto stored = load_stored_graph({.path = path}, {});
    ASSERT_TRUE(stored.has_value());
    EXPECT_EQ(stored->graph->weight_type(), WeightType::kNone);
    EXPECT_EQ(stored->graph->weight_range().greatest, 1);
  });
}

TEST(LoadStored, NamesComeAlong) {
  const TemporaryFolder folder;
  const std::string path = folder.path("a.grappa");
  EdgeList list = test::make_list(3, true, {{0, 1}, {1, 2}});
  list.names = VertexNames::strings("annbobeve", {0, 3, 6, 9});
  save_edge_list(list, {.path = path}, serial_for());
  run(grappa::test::cluster(2, 1), [&] {
    auto stored = load_stored_graph({.path = path}, {});
    ASSERT_TRUE(stored.has_value());
    EXPECT_EQ(stored->names.name(1), "bob");
  });
}

TEST(LoadStored, OnlyWhereTheFileHasTheGraphThatIsWanted) {
  const TemporaryFolder folder;
  const auto has = [](const LoadOptions& options, const BuildOptions& build) {
    auto stored = load_stored_graph(options, build);
    EXPECT_EQ(stored.has_value(), stored_graph_bytes(GraphInput(options), build).has_value());
    return stored.has_value();
  };
  run(grappa::test::threads(2), [&] {
    const auto make = [&](const char* name, bool directed, const std::vector<Edge>& edges) {
      save_edge_list(test::make_list(5, directed, edges), {.path = folder.path(name)},
                     serial_for());
      return folder.path(name);
    };
    const std::string directed = make("directed.grappa", true, {{0, 1}, {1, 0}});
    EXPECT_TRUE(has({.path = directed}, {.in_edges = true, .simplify = true}));
    EXPECT_TRUE(has({.path = directed, .directed = true}, {}));
    EXPECT_FALSE(has({.path = directed, .directed = false}, {}));
    EXPECT_FALSE(has({.path = directed}, {.symmetrize = true}));
    const std::string undirected = make("undirected.grappa", false, {{0, 1}, {1, 2}});
    EXPECT_TRUE(has({.path = undirected}, {.symmetrize = true, .simplify = true}));
    EXPECT_FALSE(has({.path = undirected, .directed = true}, {}));
    const std::string rough = make("rough.grappa", false, {{0, 1}, {1, 1}});
    EXPECT_TRUE(has({.path = rough}, {}));
    EXPECT_FALSE(has({.path = rough}, {.simplify = true}));
    EXPECT_FALSE(has({.path = make("packed.grappa.gz", false, {{0, 1}})}, {}));
    EXPECT_FALSE(has({.path = make("text.txt", false, {{0, 1}})}, {}));
    EXPECT_FALSE(has({.path = folder.path("absent.grappa")}, {}));
    EXPECT_FALSE(has({.path = "kron:4"}, {}));
    EXPECT_FALSE(has({.path = "-", .format = Format::kGrappa}, {}));
  });
}

/// Of a graph in a file with a value of a section exchanged, on any number of locales.
template <class T>
void expect_refused(const EdgeList& list, io::StoredSection (*section)(const io::StoredLayout&),
                    std::size_t index, T value, std::string_view text) {
  const TemporaryFolder folder;
  const std::string path = folder.path("a.grappa");
  save_edge_list(test::copy_of(list), {.path = path}, serial_for());
  const io::StoredLayout layout = io::StoredFile(io::ExaminedFile(path)).layout();
  {
    std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(static_cast<std::streamoff>(section(layout).begin + index * sizeof value));
    file.write(reinterpret_cast<const char*>(&value), sizeof value);
  }
  for (const Config& config : {grappa::test::threads(2), grappa::test::cluster(3, 1)}) {
    run(config, [&] {
      const std::size_t before = grappa::test::live_allocations();
      expect_input_error(
          [&] { load_stored_graph({.path = path, .want_weights = true}, {.in_edges = true}); }, 0,
          text);
      EXPECT_EQ(grappa::test::live_allocations(), before);
    });
  }
}

TEST(LoadStored, DamagedRowsAreRefused) {
  EdgeList list = test::make_list(600, true, {{0, 1}, {0, 2}, {300, 3}, {300, 400}, {599, 5}});
  list.weights.assign({1, 2, 3, 4, 5});
  const auto offsets = [](const io::StoredLayout& l) { return l.out.offsets; };
  const auto targets = [](const io::StoredLayout& l) { return l.out.targets; };
  const auto weights = [](const io::StoredLayout& l) { return l.out.weights; };
  const auto in_offsets = [](const io::StoredLayout& l) { return l.in.offsets; };
  const auto in_targets = [](const io::StoredLayout& l) { return l.in.targets; };
  const auto in_weights = [](const io::StoredLayout& l) { return l.in.weights; };
  expect_refused(list, offsets, 0, std::uint64_t{1}, "do not fill");
  expect_refused(list, offsets, 600, std::uint64_t{4}, "do not fill");
  expect_refused(list, offsets, 250, std::uint64_t{1}, "vertex 249 run from 2 to 1 of 5");
  expect_refused(list, offsets, 300, ~std::uint64_t{0}, "vertex 299 run from 2 to 18446");
  expect_refused(list, targets, 3, std::uint32_t{600}, "vertex 300 has a neighbor 600 of 600");
  expect_refused(list, targets, 3, std::uint32_t{2}, "of vertex 300 are not in order");
  expect_refused(list, targets, 4, std::uint32_t{599}, "of vertex 599 are not in order");
  expect_refused(list, weights, 2, std::uint8_t{6}, "vertex 300 has a weight");
  expect_refused(list, in_offsets, 250, std::uint64_t{3}, "vertex 249 run from");
  expect_refused(list, in_targets, 0, std::uint32_t{7}, "the in-edges are not the out-edges");
  expect_refused(list, in_weights, 0, std::uint8_t{2}, "the in-edges are not the out-edges");
  expect_refused(list, targets, 2, std::uint32_t{7}, "its arcs do not agree");
  expect_refused(list, offsets, 300, std::uint64_t{3}, "its arcs do not agree");
  expect_refused(list, weights, 1, std::uint8_t{3}, "its arcs do not agree");
  list.directed = false;
  expect_refused(list, targets, 9, std::uint32_t{6}, "its arcs do not agree");
}

TEST(LoadStored, TruncatedFilesAreRefused) {
  const TemporaryFolder folder;
  const std::string path = save(folder, test::generated("grid:40x30"));
  for (auto bytes = std::filesystem::file_size(path); bytes > 1; bytes -= bytes / 3 + 1) {
    std::filesystem::resize_file(path, bytes - 1);
    run(grappa::test::threads(1), [&] {
      EXPECT_THROW(load_stored_graph({.path = path}, {}), InputError) << bytes;
      EXPECT_THROW(stored_graph_bytes(GraphInput({.path = path}), {}), InputError) << bytes;
    });
  }
}

TEST(LoadStored, WhatFailsLeavesNothingBehind) {
  const TemporaryFolder folder;
  const TestGraph test =
      test::weighted(test::directed(test::generated("grid:12x12")), WeightType::kWord);
  const std::string path = save(folder, test);
  for (const Config& config : {grappa::test::threads(2), grappa::test::cluster(4, 1)}) {
    run(config, [&] {
      grappa::test::expect_nothing_left_behind([&] {
        EXPECT_TRUE(load_stored_graph({.path = path, .want_weights = true}, {.in_edges = true}));
      });
    });
  }
}

}  // namespace
}  // namespace grappa::graph
