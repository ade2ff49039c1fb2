#include "grappa/graph/load/load_parts.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "grappa/base/serialize.hpp"
#include "grappa/graph/exec/locales.hpp"
#include "grappa/graph/load/internal/carried_error.hpp"
#include "grappa/graph/test_graphs.hpp"
#include "grappa/io/output_file.hpp"
#include "grappa/parallel/exchange.hpp"
#include "grappa/parallel/test_allocations.hpp"
#include "tests/support/graph_files.hpp"

namespace grappa::graph {
namespace {

struct Loaded {
  NamedEdges edges;  // sorted
  std::vector<std::string> names;
  bool directed = true;
  bool needs_simplify = false;
  std::string note;

  friend bool operator==(const Loaded&, const Loaded&) = default;
};

Loaded describe(const EdgeList& list) {
  Loaded loaded{named_edges(list), {}, list.directed, list.needs_simplify, list.note};
  std::ranges::sort(loaded.edges);
  for (std::int64_t v = 0; v < list.vertex_count; ++v)
    loaded.names.push_back(list.names.name(static_cast<VertexId>(v)));
  return loaded;
}

/// The parts, put together at the caller.
Loaded load_together(const LoadOptions& options) {
  EdgeParts parts = load_edge_parts(options);
  const Owned<Exchange> exchange = Exchange::create();
  on_all_locales([exchange = *exchange, part = *parts.part] {
    exchange.send(0, std::span<const Edge>(part->edges));
  });
  EdgeList list;
  for (int locale = 0; locale < locale_count(); ++locale) {
    for (const Edge& edge : exchange->take<Edge>(locale)) list.edges.push_back(edge);
  }
  on_all_locales([exchange = *exchange, part = *parts.part] {
    exchange.send(0, std::span<const double>(part->weights));
  });
  for (int locale = 0; locale < locale_count(); ++locale) {
    for (const double weight : exchange->take<double>(locale)) list.weights.push_back(weight);
  }
  EXPECT_EQ(static_cast<std::int64_t>(list.edges.size()), parts.edge_count);
  list.vertex_count = parts.vertex_count;
  list.names = std::move(parts.names);
  list.directed = parts.directed;
  list.needs_simplify = parts.needs_simplify;
  list.note = parts.note;
  return describe(list);
}

void expect_same_everywhere(const LoadOptions& options) {
  const Loaded alone = describe(load_edge_list(options, serial_for()));
  for (const Config& config : test::all_shapes()) {
    SCOPED_TRACE(grappa::test::describe(config));
    run(config, [&] { EXPECT_TRUE(load_together(options) == alone) << options.path; });
  }
}

std::string random_lines(std::uint64_t span, std::uint64_t step, const std::string& name) {
  std::mt19937_64 draw(7);
  std::string text;
  for (int i = 0; i < 2000; ++i) {
    const std::uint64_t from = draw() % span * step + 1;
    const std::uint64_t to = draw() % span * step + 1;
    text += fmt::format("{0}{1}\t{0}{2}\t{3}.5\n", name, from, to, i % 10);
  }
  return text;
}

TEST(LoadParts, NumbersAreThoseOfOneLocale) {
  const TemporaryFolder folder;
  for (const std::uint64_t step : {1, 3, 1'000'003}) {
    const std::string path = folder.write("graph.txt", random_lines(700, step, ""));
    expect_same_everywhere({.path = path});
    expect_same_everywhere({.path = path, .want_weights = true});
    expect_same_everywhere({.path = path, .directed = false, .block_bytes = 1000});
  }
  expect_same_everywhere({.path = folder.write("graph.txt", random_lines(300, 1ull << 33, ""))});
}

TEST(LoadParts, NamesThatAreStrings) {
  const TemporaryFolder folder;
  expect_same_everywhere({.path = folder.write("graph.txt", random_lines(400, 7, "n"))});
}

TEST(LoadParts, FewerLinesThanLocales) {
  const TemporaryFolder folder;
  expect_same_everywhere({.path = folder.write("one.txt", "5 9\n")});
  expect_same_everywhere({.path = folder.write("two.txt", "# comment\n\n5 9\n9 5")});
  expect_same_everywhere({.path = folder.write("string.txt", "eva adam")});
}

TEST(LoadParts, PartsWhoseIdsAreRangesOfTheirOwn) {
  const TemporaryFolder folder;
  std::string path;
  std::string gap;
  for (int i = 0; i < 3000; ++i) {
    path += std::to_string(i + 10) + " " + std::to_string(i + 11) + "\n";
    gap +=
        std::to_string(i < 1500 ? i : i + 90) + " " + std::to_string(i < 1500 ? i : i + 90) + "\n";
  }
  expect_same_everywhere({.path = folder.write("path.txt", path)});
  expect_same_everywhere({.path = folder.write("gap.txt", gap)});
}

/// The same text as standard input would bring it: nobody can cut it.
std::string packed(const TemporaryFolder& folder, const std::string& name,
                   const std::string& text) {
  OutputFile file(folder.path(name));
  file.write(text);
  file.commit();
  return folder.path(name);
}

TEST(LoadParts, CompressedTextIsSharedOutInBlocks) {
  const TemporaryFolder folder;
  for (const std::size_t block_bytes : {100, 3000, 1 << 20}) {
    expect_same_everywhere(
        {.path = packed(folder, "a.txt.gz", "# comment\n" + random_lines(90, 11, "")),
         .want_weights = true,
         .block_bytes = block_bytes});
    expect_same_everywhere({.path = packed(folder, "b.tsv.zst", random_lines(90, 11, "n")),
                            .block_bytes = block_bytes});
  }
  run(grappa::test::cluster(4, 1), [&] {
    const EdgeParts parts = load_edge_parts({.path = folder.path("a.txt.gz"), .block_bytes = 100});
    for (const std::size_t edges :
         gather_locales([part = *parts.part] { return part->edges.size(); }))
      EXPECT_LT(edges, 2000u) << "one has all";
  });
}

TEST(LoadParts, MetisIsSharedOutInBlocks) {
  const TemporaryFolder folder;
  // A ring with a chord from each vertex to the one 7 further, weights and comments.
  constexpr int kVertices = 300;
  std::string text = "% comment\n300 600 1\n";
  for (int v = 0; v < kVertices; ++v) {
    if (v % 11 == 0) text += "% between\n";
    for (const int step : {1, 7, kVertices - 1, kVertices - 7}) {
      const int w = (v + step) % kVertices;
      text += std::to_string(w + 1) + " " + std::to_string(std::min(v, w) + 1) + " ";
    }
    text += "\n";
  }
  for (const std::size_t block_bytes : {50, 1000, 1 << 20}) {
    for (const std::string& path :
         {folder.write("ring.graph", text), packed(folder, "ring.graph.gz", text)}) {
      expect_same_everywhere({.path = path, .want_weights = true, .block_bytes = block_bytes});
      expect_same_everywhere({.path = path, .directed = true, .block_bytes = block_bytes});
    }
  }
}

TEST(LoadParts, TheFirstErrorOfASharedTextIsReported) {
  const TemporaryFolder folder;
  const std::string good = random_lines(50, 1, "");
  const std::string path =
      packed(folder, "bad.txt.gz", good + "7 frog\n" + good + "8 toad\n" + good);
  for (const Config& config : test::all_shapes()) {
    SCOPED_TRACE(grappa::test::describe(config));
    expect_input_error(
        [&] { run(config, [&] { load_edge_parts({.path = path, .block_bytes = 200}); }); }, 2001,
        "frog");
  }
}

TEST(LoadParts, Generators) {
  for (const char* spec : {"kron:8:3", "urand:7:5", "grid:9x31", "grid:1x1", "urand:1:1"}) {
    expect_same_everywhere({.path = spec, .want_weights = true, .seed = 5});
    expect_same_everywhere({.path = spec, .directed = true});
  }
}

TEST(LoadParts, TheFirstErrorOfTheTextIsReported) {
  const TemporaryFolder folder;
  std::string text = random_lines(50, 1, "");
  text += "1 2\n7 frog\n" + random_lines(50, 1, "") + "toad\n";
  const std::string path = folder.write("graph.txt", text);
  for (const Config& config : test::all_shapes()) {
    SCOPED_TRACE(grappa::test::describe(config));
    expect_input_error([&] { run(config, [&] { load_edge_parts({.path = path}); }); }, 2002,
                       "frog");
    expect_input_error(
        [&] { run(config, [&] { load_edge_parts({.path = "/nonexistent/none.txt"}); }); }, 0,
        "cannot open");
  }
}

TEST(LoadParts, WhatFailsLeavesNothingBehind) {
  const TemporaryFolder folder;
  const std::string good = random_lines(50, 1'000'003, "");
  const std::string text = good + "7 frog\n";  // in the part of the last locale
  for (const Config& config : {grappa::test::threads(2), grappa::test::cluster(4, 1)}) {
    SCOPED_TRACE(grappa::test::describe(config));
    run(config, [&] {
      const std::size_t before = grappa::test::live_allocations();
      for (const std::string& path :
           {folder.write("bad.txt", text), packed(folder, "bad.txt.gz", text),
            std::string("/nonexistent/none.txt")}) {
        EXPECT_THROW(load_edge_parts({.path = path, .block_bytes = 1000}), InputError) << path;
        EXPECT_EQ(grappa::test::live_allocations(), before) << path;
      }
      for (const std::string& path :
           {folder.write("good.txt", good), packed(folder, "good.txt.gz", good)}) {
        grappa::test::expect_nothing_left_behind(
            [&] { EXPECT_EQ(load_edge_parts({.path = path}).edge_count, 2000); });
        const auto enough = [](double) { throw UsageError("enough"); };
        EXPECT_THROW(load_edge_parts({.path = path, .progress = enough, .block_bytes = 1000}),
                     UsageError);
        EXPECT_EQ(grappa::test::live_allocations(), before) << path;
      }
    });
  }
}

TEST(CarriedErrors, StayWhatTheyAre) {
  run(grappa::test::threads(1), [] {
    const auto carry = [](const auto& error) {
      from_bytes<CarriedError>(to_bytes(CarriedError(std::make_exception_ptr(error)))).rethrow();
    };
    expect_input_error([&] { carry(InputError("a:b.txt", 7, "no, 8: no", 3)); }, 7,
                       "a:b.txt:7:3: no, 8: no");
    EXPECT_THROW(carry(UsageError("usage")), UsageError);
    try {
      carry(std::out_of_range("far"));
      FAIL();
    } catch (const Error& error) {
      EXPECT_STREQ(error.what(), "std::out_of_range: far");
    }
  });
}

}  // namespace
}  // namespace grappa::graph
