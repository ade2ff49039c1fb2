#include "grappa/graph/checkpoint/internal/manifest.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "grappa/graph/checkpoint/internal/content_hash.hpp"
#include "grappa/graph/checkpoint/internal/part_file.hpp"
#include "grappa/graph/checkpoint/interval.hpp"
#include "tests/support/graph_files.hpp"

namespace grappa::graph {
namespace {

std::uint64_t hash_of(std::string_view text, std::size_t piece) {
  ContentHash hash;
  const auto bytes = std::as_bytes(std::span(text));
  for (std::size_t at = 0; at < bytes.size(); at += piece)
    hash.add(bytes.subspan(at, std::min(piece, bytes.size() - at)));
  return hash.value();
}

TEST(ContentHash, DoesNotDependOnPieces) {
  std::string text;
  for (int i = 0; i < 200; ++i) text += static_cast<char>(i * 37);
  for (std::size_t piece = 1; piece <= text.size(); ++piece)
    EXPECT_EQ(hash_of(text, piece), hash_of(text, text.size()));
}

TEST(ContentHash, DiffersForEveryBitAndLength) {
  const std::string text(131, 'x');
  std::set<std::uint64_t> seen = {hash_of(text, 131)};
  for (std::size_t bit = 0; bit < text.size() * 8; ++bit) {
    std::string other = text;
    other[bit / 8] = static_cast<char>(other[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_TRUE(seen.insert(hash_of(other, 131)).second);
  }
  for (std::size_t length = 0; length < 131; ++length)
    EXPECT_TRUE(seen.insert(hash_of(std::string(length, '\0'), 131)).second);
}

TEST(Interval, IterationsAndTimes) {
  EXPECT_EQ(parse_interval("10").iterations, 10);
  const std::pair<const char*, double> times[] = {
      {"30s", 30}, {"5min", 300}, {"2h", 7200}, {"0.5s", 0.5}};
  for (const auto& [text, seconds] : times) {
    EXPECT_EQ(parse_interval(text).iterations, 0);
    EXPECT_EQ(parse_interval(text).seconds, seconds);
  }
  for (const char* text : {"", "0", "-3", "s", "5 min", "0s", "infs", "nans", "1e300h", "5d"}) {
    EXPECT_THROW(parse_interval(text), UsageError) << text;
  }
}

Manifest some_manifest() {
  Manifest manifest;
  manifest.kernel = "pagerank";
  manifest.options = "damping 0.85";
  manifest.graph = {100, 700, 0x123456789};
  manifest.iteration = 12;
  manifest.scalars = {{"change", 77}};
  manifest.arrays = {{"rank", 8}};
  manifest.parts = {{"part-0-0", 0, 64, 512, 5}, {"part-0-1", 64, 100, 288, 6}};
  return manifest;
}

TEST(Manifest, IsReadAsItWasWrittenAndReplaced) {
  const TemporaryFolder folder;
  const std::string path = folder.path("");
  EXPECT_FALSE(has_manifest(path));
  Manifest manifest = some_manifest();
  write_manifest(path, manifest);
  manifest.iteration = 13;
  folder.write("manifest.tmp", "left by a run that was killed");
  write_manifest(path, manifest);
  EXPECT_EQ(folder.entries(), std::set<std::string>{"manifest"});
  const Manifest read = read_manifest(path);
  EXPECT_EQ(read.kernel, "pagerank");
  EXPECT_EQ(read.options, "damping 0.85");
  EXPECT_EQ(read.graph, manifest.graph);
  EXPECT_EQ(read.iteration, 13);
  ASSERT_EQ(read.scalars.size(), 1u);
  EXPECT_EQ(read.scalars[0].name, "change");
  EXPECT_EQ(read.scalars[0].bits, 77u);
  ASSERT_EQ(read.arrays.size(), 1u);
  EXPECT_EQ(read.arrays[0].element_bytes, 8);
  ASSERT_EQ(read.parts.size(), 2u);
  EXPECT_EQ(read.parts[1].file, "part-0-1");
  EXPECT_EQ(read.parts[1].begin, 64);
  EXPECT_EQ(read.parts[1].end, 100);
  EXPECT_EQ(read.parts[1].bytes, 288u);
  EXPECT_EQ(read.parts[1].hash, 6u);
}

TEST(Manifest, EveryDamageIsRefused) {
  const TemporaryFolder folder;
  write_manifest(folder.path(""), some_manifest());
  const std::string good = file_content(folder.path("manifest"));
  for (std::size_t length = 0; length < good.size(); ++length) {
    folder.write("manifest", good.substr(0, length));
    expect_input_error([&] { read_manifest(folder.path("")); }, 0, "damaged");
  }
  folder.write("manifest", good + '\0');
  expect_input_error([&] { read_manifest(folder.path("")); }, 0, "damaged");
  for (std::size_t byte = 0; byte < good.size(); ++byte) {
    std::string bad = good;
    bad[byte] = static_cast<char>(bad[byte] ^ (1 << (byte % 8)));
    folder.write("manifest", bad);
    expect_input_error([&] { read_manifest(folder.path("")); }, 0, "damaged");
  }
  std::filesystem::remove(folder.path("manifest"));
  expect_input_error([&] { read_manifest(folder.path("")); }, 0, "no checkpoint is there");
}

/// Two arrays over vertices [begin, end).
struct Arrays {
  std::vector<double> real;
  std::vector<std::uint32_t> whole;

  Arrays(std::int64_t begin, std::int64_t end, bool filled) {
    for (std::int64_t v = begin; v < end; ++v) {
      real.push_back(filled ? 0.5 + static_cast<double>(v) : 0);
      whole.push_back(filled ? static_cast<std::uint32_t>(7 * v) : 0);
    }
  }
  std::vector<ArrayPiece> pieces() {
    return {{reinterpret_cast<std::byte*>(real.data()), 8},
            {reinterpret_cast<std::byte*>(whole.data()), 4}};
  }
  bool operator==(const Arrays&) const = default;
};

TEST(PartFile, EveryRangeGetsItsVertices) {
  const TemporaryFolder folder;
  constexpr std::int64_t kBegin = 10;
  constexpr std::int64_t kEnd = 31;
  Arrays written(kBegin, kEnd, true);
  const Manifest::Part part = write_part(folder.path(""), "part", kBegin, kEnd, written.pieces());
  for (std::int64_t begin = 0; begin < 40; begin += 3) {
    for (std::int64_t end = begin; end < 40; end += 4) {
      Arrays read(begin, end, false);
      read_part(folder.path(""), part, begin, end, read.pieces());
      const Arrays expected(begin, end, true);
      for (std::int64_t v = begin; v < end; ++v) {
        const bool there = v >= kBegin && v < kEnd;
        const auto i = static_cast<std::size_t>(v - begin);
        EXPECT_EQ(read.real[i], there ? expected.real[i] : 0);
        EXPECT_EQ(read.whole[i], there ? expected.whole[i] : 0);
      }
    }
  }
}

TEST(PartFile, EveryDamageIsRefused) {
  const TemporaryFolder folder;
  Arrays arrays(0, 11, true);
  const Manifest::Part part = write_part(folder.path(""), "part", 0, 11, arrays.pieces());
  const auto read = [&] {
    Arrays piece(5, 9, false);
    read_part(folder.path(""), part, 5, 9, piece.pieces());
  };
  const std::string good = file_content(folder.path("part"));
  for (std::size_t length = 0; length < good.size(); ++length) {
    folder.write("part", good.substr(0, length));
    expect_input_error(read, 0, "damaged");
  }
  folder.write("part", good + "x");
  expect_input_error(read, 0, "damaged");
  for (std::size_t byte = 0; byte < good.size(); ++byte) {
    std::string bad = good;
    bad[byte] = static_cast<char>(bad[byte] ^ (1 << (byte % 8)));
    folder.write("part", bad);
    expect_input_error(read, 0, "damaged");
  }
  std::filesystem::remove(folder.path("part"));
  expect_input_error(read, 0, "missing");
}

TEST(PartFile, OnlyOtherPartsAreRemoved) {
  const TemporaryFolder folder;
  const std::string mine(16, 'a');
  const std::string other(16, 'b');
  const std::set<std::string> kept = {part_name(mine, 0), part_name(mine, 17),    "manifest",
                                      "part-one",         "part-" + other + "-x", "part-" + other};
  for (const std::string& name : kept) folder.write(name, "");
  folder.write(part_name(other, 0), "");
  folder.write(part_name(other, 12), "");
  remove_other_parts(folder.path(""), mine);
  EXPECT_EQ(folder.entries(), kept);
}

}  // namespace
}  // namespace grappa::graph
