#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "tests/support/graph_files.hpp"

namespace grappa::graph {
namespace {

using io::ReadOptions;

template <class T>
void append(std::string& bytes, std::initializer_list<T> values) {
  for (const T value : values) bytes.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

// 0 -> 1, 0 -> 2, 2 -> 2 of three vertices.
std::string directed_file() {
  std::string bytes(1, '\1');
  append<std::int64_t>(bytes, {3, 3, 0, 2, 2, 3});
  append<std::int32_t>(bytes, {1, 2, 2});
  append<std::int64_t>(bytes, {0, 0, 1, 3});
  append<std::int32_t>(bytes, {0, 0, 2});
  return bytes;
}

// 0 - 1 with weight 7, 0 - 2 with weight -8, of three vertices.
std::string undirected_weighted_file() {
  std::string bytes(1, '\0');
  append<std::int64_t>(bytes, {4, 3, 0, 2, 3, 4});
  append<std::int32_t>(bytes, {1, 7, 2, -8, 0, 7, 0, -8});
  return bytes;
}

std::string with_number(std::string bytes, std::size_t offset, std::int64_t value) {
  std::memcpy(bytes.data() + offset, &value, sizeof(value));
  return bytes;
}

EdgeList read(Format format, std::string_view bytes, const ReadOptions& options = {}) {
  EdgeList list = read_string(format, bytes, options);
  expect_sound(list);
  return list;
}

TEST(ReadGap, Directed) {
  const EdgeList list = read(Format::kGap, directed_file(), {.want_weights = true});
  EXPECT_TRUE(list.directed);
  EXPECT_TRUE(list.names.is_identity());
  EXPECT_EQ(named_edges(list), (NamedEdges{{"0", "1"}, {"0", "2"}, {"2", "2"}}));
  EXPECT_FALSE(read(Format::kGap, directed_file(), {.directed = false}).directed);
}

TEST(ReadGap, UndirectedWeighted) {
  const EdgeList list =
      read(Format::kGapWeighted, undirected_weighted_file(), {.want_weights = true});
  EXPECT_FALSE(list.directed);
  EXPECT_EQ(named_edges(list), (NamedEdges{{"0", "1", 7}, {"0", "2", -8}}));
  EXPECT_TRUE(read(Format::kGapWeighted, undirected_weighted_file()).weights.empty());
  const EdgeList arcs = read(Format::kGapWeighted, undirected_weighted_file(),
                             {.directed = true, .want_weights = true});
  EXPECT_EQ(named_edges(arcs),
            (NamedEdges{{"0", "1", 7}, {"0", "2", -8}, {"1", "0", 7}, {"2", "0", -8}}));
}

TEST(ReadGap, EveryTruncationIsAnError) {
  const std::string bytes = directed_file();
  for (std::size_t size = 1; size < bytes.size(); ++size) {
    EXPECT_THROW(read(Format::kGap, bytes.substr(0, size)), InputError) << size;
  }
  EXPECT_THROW(read(Format::kGap, bytes + "x"), InputError);
  expect_input_error([&] { read(Format::kGap, bytes.substr(0, 10)); }, 0, "truncated: 10 bytes");
}

TEST(ReadGap, WeightsThatAreNotSaid) {
  expect_input_error([] { read(Format::kGap, undirected_weighted_file()); }, 0,
                     "give --format wsg");
  expect_input_error([] { read(Format::kGapWeighted, directed_file()); }, 0, "give --format sg");
}

TEST(ReadGap, DamagedHeaders) {
  const std::string bytes = directed_file();
  expect_input_error([&] { read(Format::kGap, "\2" + bytes.substr(1)); }, 0,
                     "not a serialized graph");
  for (const std::int64_t arcs : {std::int64_t{-1}, std::int64_t{1} << 60, std::int64_t{4}}) {
    EXPECT_THROW(read(Format::kGap, with_number(bytes, 1, arcs)), InputError);
  }
  for (const std::int64_t vertices : {std::int64_t{-1}, std::int64_t{0}, std::int64_t{1} << 33}) {
    EXPECT_THROW(read(Format::kGap, with_number(bytes, 9, vertices)), InputError);
  }
}

TEST(ReadGap, DamagedArrays) {
  const std::string bytes = directed_file();
  expect_input_error([&] { read(Format::kGap, with_number(bytes, 17, 1)); }, 0,
                     "offsets run from 1 to 3, not 0 to 3");
  expect_input_error([&] { read(Format::kGap, with_number(bytes, 25, 5)); }, 0,
                     "the neighbors of vertex 1 end before they begin");
  expect_input_error([&] { read(Format::kGap, with_number(bytes, 49, 3)); }, 0,
                     "vertex 0 has a neighbor 3 of 3");
  expect_input_error([&] { read(Format::kGap, with_number(bytes, 49, -1)); }, 0,
                     "vertex 0 has a neighbor -1 of 3");
  // The second rows of the directed file, by target, and their neighbors.
  const std::size_t reverse = 17 + (bytes.size() - 17) / 2;
  expect_input_error([&] { read(Format::kGap, with_number(bytes, reverse, 1)); }, 0,
                     "offsets run from 1 to 3, not 0 to 3");
  // Nothing but a comparison with one another tells that one of these has changed.
  for (std::size_t place : {std::size_t{49}, bytes.size() - 4}) {
    std::string changed = bytes;
    changed[place] = static_cast<char>(changed[place] == 2 ? 1 : 2);
    expect_input_error([&] { read(Format::kGap, changed); }, 0, "its arcs do not agree");
  }
  const std::string weighted = undirected_weighted_file();
  for (std::size_t place = 49; place < weighted.size(); place += 4) {
    std::string changed = weighted;
    changed[place] ^= 1;
    EXPECT_THROW(read(Format::kGapWeighted, changed), InputError) << place;
  }
}

TEST(ReadGap, TakesNoMoreThanAHeaderOfWhatIsNone) {
  expect_input_error([] { io::read_gap(Input::open("/dev/zero"), false, {}, serial_for()); }, 0,
                     "not a serialized graph");
}

}  // namespace
}  // namespace grappa::graph
