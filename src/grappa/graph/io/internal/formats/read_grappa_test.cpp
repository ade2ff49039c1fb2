#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "grappa/graph/io/internal/formats/stored_file.hpp"
#include "grappa/graph/io/internal/formats/stored_rows.hpp"
#include "grappa/graph/io/save.hpp"
#include "grappa/graph/load/internal/load_estimate.hpp"
#include "grappa/graph/load/load.hpp"
#include "tests/support/graph_files.hpp"
#include "tests/support/wide_ids.hpp"

namespace grappa::graph {
namespace {

using io::StoredHeader;

EdgeList list_of(std::int64_t vertices, bool directed, const std::vector<Edge>& edges,
                 const std::vector<double>& weights = {}) {
  EdgeList list;
  list.vertex_count = vertices;
  list.directed = directed;
  list.edges.assign(edges.begin(), edges.end());
  list.weights.assign(weights.begin(), weights.end());
  list.names = VertexNames::range(0, vertices);
  return list;
}

/// With self-loops, equal edges and a vertex without edges.
EdgeList rough_list(bool directed, const std::vector<double>& weights = {}) {
  return list_of(5, directed, {{3, 0}, {0, 1}, {1, 1}, {1, 0}, {0, 1}, {1, 3}}, weights);
}

std::string bytes_of(const EdgeList& list) {
  const TemporaryFolder folder;
  save_edge_list(list, {.path = folder.path("a.grappa")}, threaded_for());
  EXPECT_EQ(folder.entries(), std::set<std::string>{"a.grappa"});
  std::ifstream file(folder.path("a.grappa"), std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

EdgeList read(std::string_view bytes, const io::ReadOptions& options = {.want_weights = true}) {
  EdgeList list =
      io::read_grappa(io::Input::from_memory(bytes, "test.file"), options, backwards_for());
  expect_sound(list);
  return list;
}

void expect_same(const EdgeList& expected, const EdgeList& found) {
  EXPECT_EQ(found.vertex_count, expected.vertex_count);
  EXPECT_EQ(found.directed, expected.directed);
  EXPECT_EQ(found.weights.empty(), expected.weights.empty());
  EXPECT_EQ(all_names(found), all_names(expected));
  EXPECT_EQ(canonical_edges(found), canonical_edges(expected));
}

StoredHeader header_of(const std::string& bytes) {
  return io::parse_stored_header(bytes, "test.file");
}

/// With a header that is changed, and a checksum that says so.
template <class Change>
std::string with_header(std::string bytes, const Change& change) {
  StoredHeader header;
  std::memcpy(&header, bytes.data(), sizeof header);
  change(header);
  header.checksum = io::checksum_of(header);
  std::memcpy(bytes.data(), &header, sizeof header);
  return bytes;
}

template <class T>
std::string with_value(std::string bytes, const io::StoredSection& section, std::size_t index,
                       T value) {
  std::memcpy(bytes.data() + section.begin + index * sizeof value, &value, sizeof value);
  return bytes;
}

void expect_refused(const std::string& bytes, std::string_view text) {
  expect_input_error([&] { read(bytes); }, 0, text);
}

TEST(ReadGrappa, RoundTripsOfAllDirectionsAndWeights) {
  constexpr double kMost = std::numeric_limits<double>::max();
  const std::vector<std::vector<double>> weights = {
      {}, {1, 2, 255, 0, 7, 7}, {1, 2, 4294967295, 0, 7, 7}, {-1, 0.1, kMost, 0, 7, 7}};
  const WeightType types[] = {WeightType::kNone, WeightType::kByte, WeightType::kWord,
                              WeightType::kDouble};
  for (const bool directed : {true, false}) {
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const EdgeList list = rough_list(directed, weights[i]);
      const std::string bytes = bytes_of(list);
      EXPECT_EQ(header_of(bytes).weight_type, types[i]);
      EXPECT_EQ(header_of(bytes).simple, 0);
      EXPECT_EQ(header_of(bytes).id_bytes, 4);
      expect_same(list, read(bytes));
      expect_same(list, read(with_wide_ids(bytes)));
      EXPECT_TRUE(read(bytes, {}).weights.empty());
    }
  }
  EXPECT_EQ(header_of(bytes_of(list_of(3, true, {{0, 1}, {1, 0}}))).simple, 1);
  EXPECT_EQ(header_of(bytes_of(list_of(3, true, {{0, 1}, {1, 1}}))).simple, 0);
  EXPECT_EQ(header_of(bytes_of(list_of(3, false, {{0, 1}, {1, 0}}))).simple, 0);
}

TEST(ReadGrappa, GraphsWithoutEdgesOrVertices) {
  for (const std::int64_t vertices : {0, 1, 1000}) {
    const EdgeList list = list_of(vertices, false, {});
    expect_same(list, read(bytes_of(list)));
  }
}

TEST(ReadGrappa, NamesOfAllKinds) {
  EdgeList list = rough_list(true);
  list.names = VertexNames::range(1000, 5);
  expect_same(list, read(bytes_of(list)));
  list.names = VertexNames::integers({3, 4, 9, 1000, (std::uint64_t{1} << 63) - 1});
  expect_same(list, read(bytes_of(list)));
  list.names = VertexNames::strings("annboeve x", {0, 3, 5, 6, 8, 10});
  const std::string unordered = bytes_of(list);
  expect_refused(unordered, "the name of vertex 4 is out of order");
  list.names = VertexNames::strings("annboevxyz", {0, 3, 5, 6, 8, 10});
  expect_same(list, read(bytes_of(list)));
}

TEST(ReadGrappa, DirectionsThatAreAskedFor) {
  const std::string undirected = bytes_of(list_of(3, false, {{0, 1}, {2, 2}}));
  EXPECT_EQ(named_edges(read(undirected, {.directed = true})),
            (NamedEdges{{"0", "1"}, {"1", "0"}, {"2", "2"}}));
  const std::string directed = bytes_of(list_of(3, true, {{0, 1}, {1, 0}}));
  EXPECT_EQ(named_edges(read(directed, {.directed = false})), (NamedEdges{{"0", "1"}, {"1", "0"}}));
  EXPECT_FALSE(read(directed, {.directed = false}).directed);
}

TEST(ReadGrappa, CompressedAndThroughTheUsualWay) {
  const TemporaryFolder folder;
  const EdgeList list = rough_list(false, {1, 2, 3, 2, 2, 4});
  for (const char* name : {"a.grappa", "a.grappa.gz", "a.grappa.zst"}) {
    SCOPED_TRACE(name);
    save_edge_list(list, {.path = folder.path(name)}, serial_for());
    expect_same(list,
                load_edge_list({.path = folder.path(name), .want_weights = true}, threaded_for()));
    const LoadEstimate estimate = estimate_load({.path = folder.path(name)});
    EXPECT_EQ(estimate.vertices, 5);
    EXPECT_EQ(estimate.edges, 5) << "half of the arcs, one of which is a self-loop";
  }
}

TEST(ReadGrappa, EveryTruncationIsRefused) {
  EdgeList list = rough_list(true, {1, 2, 3, 4, 5, 6});
  list.names = VertexNames::integers({3, 4, 9, 1000, 1001});
  const std::string bytes = bytes_of(list);
  ASSERT_EQ(bytes.size(), 9 * io::kStoredPage);
  for (std::size_t size = 1; size < bytes.size(); size += size < 100 ? 1 : 509)
    EXPECT_THROW(read(bytes.substr(0, size)), InputError) << size;
  for (std::size_t size = io::kStoredPage; size < bytes.size(); size += io::kStoredPage)
    EXPECT_THROW(read(bytes.substr(0, size)), InputError) << size;
  expect_refused(bytes.substr(0, bytes.size() - 1), "truncated: 36863 bytes");
  expect_refused(bytes + "x", "damaged: 36865 bytes, but 6 arcs and 5 vertices take 36864");
}

TEST(ReadGrappa, HeadersThatAreRefused) {
  const std::string bytes = bytes_of(rough_list(true, {1, 2, 3, 4, 5, 6}));
  expect_refused("source,target\n1,2\n", "not a graph of the format grappa");
  expect_refused(bytes.substr(0, 100), "truncated: 100 bytes, the header alone has 4096");
  expect_refused(with_header(bytes, [](StoredHeader& h) { h.version = 3; }), "version 3");
  expect_refused(with_header(bytes, [](StoredHeader& h) { h.byte_order = 0x04030201; }),
                 "another byte order");
  std::string changed = bytes;
  changed[offsetof(StoredHeader, vertices)] ^= 1;
  expect_refused(changed, "checksum");
  const auto contradicts = [&](auto change) {
    expect_refused(with_header(bytes, change), "the header contradicts itself");
  };
  contradicts([](StoredHeader& h) { h.vertices = std::uint64_t{1} << 32; });
  contradicts([](StoredHeader& h) { h.vertices = ~std::uint64_t{0}; });
  contradicts([](StoredHeader& h) { h.vertices = 0; });
  contradicts([](StoredHeader& h) { h.arcs = std::uint64_t{1} << 62; });
  contradicts([](StoredHeader& h) { h.arcs = ~std::uint64_t{0}; });
  contradicts([](StoredHeader& h) { h.name_bytes = std::uint64_t{1} << 63; });
  contradicts([](StoredHeader& h) { h.first_name = std::uint64_t{1} << 63; });
  contradicts([](StoredHeader& h) { h.directed = 2; });
  contradicts([](StoredHeader& h) { h.simple = 2; });
  contradicts([](StoredHeader& h) { h.names = static_cast<io::StoredNames>(3); });
  contradicts([](StoredHeader& h) { h.weight_type = static_cast<WeightType>(4); });
  contradicts([](StoredHeader& h) { h.weight_type = WeightType::kWord; });
  contradicts([](StoredHeader& h) { h.least_weight = 7; });
  contradicts([](StoredHeader& h) { h.greatest_weight = std::nan(""); });
  contradicts([](StoredHeader& h) { h.greatest_weight = HUGE_VAL; });
  contradicts([](StoredHeader& h) { h.offset_bytes = 4; });
  contradicts([](StoredHeader& h) { h.id_bytes = 2; });
  expect_refused(with_header(bytes, [](StoredHeader& h) { h.vertices = 4'000'000'000; }),
                 "truncated");
  expect_refused(with_header(bytes, [](StoredHeader& h) { h.arcs = io::kMaxStoredArcs; }),
                 "truncated");
}

TEST(ReadGrappa, RowsThatAreRefused) {
  const std::string bytes = bytes_of(list_of(4, false, {{0, 1}, {0, 2}, {1, 3}}, {5, 6, 7}));
  const io::StoredRowsLayout rows = io::layout_of(header_of(bytes)).out;
  const auto offset = [&](std::size_t i, std::uint64_t value) {
    return with_value(bytes, rows.offsets, i, value);
  };
  expect_refused(offset(0, 1), "do not fill their section");
  expect_refused(offset(4, 5), "do not fill their section");
  expect_refused(offset(1, 5), "the neighbors of vertex 1 run from 5 to 4 of 6");
  expect_refused(offset(1, ~std::uint64_t{0}), "the neighbors of vertex 0 run from 0 to 18446");
  const auto target = [&](std::size_t i, std::uint32_t value) {
    return with_value(bytes, rows.targets, i, value);
  };
  expect_refused(target(1, 4), "vertex 0 has a neighbor 4 of 4");
  expect_refused(target(5, 0xffffffff), "vertex 3 has a neighbor 4294967295 of 4");
  expect_refused(target(1, 0), "the neighbors of vertex 0 are not in order");
  expect_refused(target(1, 1), "the neighbors of vertex 0 are not in order, or not distinct");
  expect_refused(target(4, 2), "are not in order, or not distinct");
  expect_refused(target(5, 2), "its arcs do not agree");
  const auto weight = [&](std::size_t i, std::uint8_t value) {
    return with_value(bytes, rows.weights, i, value);
  };
  expect_refused(weight(2, 4), "vertex 1 has a weight that is not in the range");
  expect_refused(weight(5, 8), "vertex 3 has a weight that is not in the range");
  expect_refused(weight(5, 6), "its arcs do not agree");
  EXPECT_NO_THROW(read(weight(5, 6), {})) << "weights that are not read";
}

/// What only the sums tell.
TEST(ReadGrappa, DamageThatIsWellFormed) {
  const std::string bytes = bytes_of(list_of(5, true, {{0, 1}, {0, 3}, {2, 4}}, {5, 6, 7}));
  const io::StoredLayout layout = io::layout_of(header_of(bytes));
  expect_refused(with_value(bytes, layout.out.targets, 1, std::uint32_t{2}), "do not agree");
  expect_refused(with_value(bytes, layout.out.offsets, 1, std::uint64_t{1}), "do not agree");
  expect_refused(with_value(bytes, layout.out.weights, 1, std::uint8_t{7}), "do not agree");
  expect_refused(with_value(bytes, layout.sums, 0, std::uint64_t{7}), "checksum of the checksums");
  const std::string loop = bytes_of(list_of(2, false, {{0, 0}, {0, 1}}, {5, 6}));
  expect_refused(with_value(loop, io::layout_of(header_of(loop)).out.weights, 0, std::uint8_t{6}),
                 "do not agree");
  for (const bool are_numbers : {true, false}) {
    EdgeList list = list_of(3, true, {{0, 1}});
    list.names = are_numbers ? VertexNames::integers({3, 6, 900})
                             : VertexNames::strings("acx", {0, 1, 2, 3});
    const std::string named = bytes_of(list);
    const io::StoredLayout places = io::layout_of(header_of(named));
    expect_refused(are_numbers ? with_value(named, places.names, 1, std::uint64_t{7})
                               : with_value(named, places.name_bytes, 1, 'b'),
                   "the checksum of the names is wrong");
  }
}

TEST(ReadGrappa, NamesOfManyPieces) {
  constexpr std::int64_t kVertices = 200000;
  EdgeList list = list_of(kVertices, true, {{0, 1}});
  std::string text;
  std::vector<std::uint64_t> offsets = {0};
  for (std::int64_t v = 0; v < kVertices; ++v) {
    text += "vertex " + std::to_string(1000000 + v);
    offsets.push_back(text.size());
  }
  list.names = VertexNames::strings(text, offsets);
  const std::string bytes = bytes_of(list);
  EXPECT_EQ(all_names(read(bytes)), all_names(list));
  const io::StoredLayout layout = io::layout_of(header_of(bytes));
  ASSERT_GT(layout.name_bytes.bytes, 2 * io::kNamePiece);
  expect_refused(with_value(bytes, layout.name_bytes, layout.name_bytes.bytes - 1, 'x'),
                 "the checksum of the names is wrong");
}

TEST(ReadGrappa, OlderFilesHaveNoSums) {
  for (const bool directed : {true, false}) {
    EdgeList list = rough_list(directed, {1, 2, 3, 2, 2, 4});
    list.names = VertexNames::integers({3, 4, 9, 1000, 1001});
    const std::string bytes = bytes_of(list);
    const std::string older = with_header(bytes.substr(0, bytes.size() - io::kStoredPage),
                                          [](StoredHeader& h) { h.version = 1; });
    expect_same(list, read(older));
    EXPECT_EQ(read(older).note, io::kWithoutSums);
    EXPECT_EQ(read(bytes).note, "");
  }
}

TEST(ReadGrappa, WideIdsThatAreRefused) {
  for (const bool directed : {true, false}) {
    const std::string bytes = with_wide_ids(bytes_of(list_of(4, directed, {{1, 2}, {1, 2}})));
    const io::StoredSection targets = io::layout_of(header_of(bytes)).out.targets;
    const auto target = [&](std::uint64_t value) { return with_value(bytes, targets, 0, value); };
    EXPECT_NO_THROW(read(target(2)));
    // What the lower half of the number is has no say.
    expect_refused(target(2 + (std::uint64_t{1} << 32)), "vertex 1 has a neighbor 4294967298 of 4");
    expect_refused(target(~std::uint64_t{0}), "vertex 1 has a neighbor 18446744073709551615 of 4");
  }
}

TEST(ReadGrappa, MoreVerticesThanThereCanBe) {
  const std::string bytes = with_wide_ids(bytes_of(rough_list(true)));
  const auto vertices = [&](std::uint64_t count) {
    return with_header(bytes, [count](StoredHeader& h) { h.vertices = count; });
  };
  expect_refused(vertices(std::uint64_t{1} << 32),
                 kVertexBits == 32
                     ? "4294967296 vertices, 4294967295 are possible (more in a build "
                       "with -DGRAPPA_VERTEX_BITS=64)"
                     : "truncated");
  expect_refused(vertices(std::uint64_t{1} << 62), "4611686018427387904 vertices, ");
}

TEST(ReadGrappa, RowsOfVerticesAbove32Bits) {
  constexpr std::uint64_t kFirst = std::uint64_t{5} << 32;
  StoredHeader header;
  header.vertices = kFirst + 3;
  header.arcs = 4;
  header.directed = 1;
  header.id_bytes = 8;
  const std::string file = "test.file";
  const std::vector<std::uint64_t> offsets = {0, 2, 2, 4};
  const auto facts = [&](const std::vector<std::uint64_t>& targets) {
    return io::RowCheck(header, WeightType::kNone, io::RowsOf::kOut, file)
        .arcs(kFirst, offsets, targets.data(), nullptr, 0, 4, std::uint64_t{0});
  };
  const io::RowFacts right = facts({7, kFirst + 2, kFirst, kFirst + 2});
  EXPECT_EQ(right.self_loops, 1u);
  EXPECT_NE(facts({7, kFirst + 2, 0, kFirst + 2}).surplus, right.surplus);
  EXPECT_NE(facts({7, kFirst + 2, kFirst - (std::uint64_t{1} << 32), kFirst + 2}).surplus,
            right.surplus);
  expect_input_error([&] { facts({7, kFirst + 3, kFirst, kFirst + 2}); }, 0,
                     "vertex 21474836480 has a neighbor 21474836483 of 21474836483");
  expect_input_error([&] { facts({7, kFirst + 2, kFirst, 5}); }, 0,
                     "the neighbors of vertex 21474836482 are not in order");
}

TEST(ReadGrappa, NamesThatAreRefused) {
  EdgeList list = rough_list(true);
  list.names = VertexNames::integers({3, 4, 9, 1000, 2000});
  std::string bytes = bytes_of(list);
  io::StoredSection names = io::layout_of(header_of(bytes)).names;
  expect_refused(with_value(bytes, names, 2, std::uint64_t{4}), "name of vertex 2");
  expect_refused(with_value(bytes, names, 4, std::uint64_t{1} << 63), "name of vertex 4");
  list.names = VertexNames::strings("abcde", {0, 1, 2, 3, 4, 5});
  bytes = bytes_of(list);
  names = io::layout_of(header_of(bytes)).names;
  expect_refused(with_value(bytes, names, 5, std::uint64_t{6}), "the names do not fill");
  expect_refused(with_value(bytes, names, 2, std::uint64_t{9}), "name of vertex 2");
}

TEST(ReadGrappa, TakesNoMoreThanAHeaderOfWhatIsNone) {
  expect_input_error([] { io::read_grappa(Input::open("/dev/zero"), {}, serial_for()); }, 0,
                     "not a graph of the format grappa");
}

}  // namespace
}  // namespace grappa::graph
