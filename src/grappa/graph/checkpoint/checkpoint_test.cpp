#include "grappa/graph/checkpoint/checkpoint.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "grappa/graph/algorithms/connected_components/connected_components.hpp"
#include "grappa/graph/algorithms/pagerank/pagerank.hpp"
#include "grappa/graph/structure/collect.hpp"
#include "grappa/graph/test_graphs.hpp"
#include "tests/support/graph_files.hpp"

namespace grappa::graph {
namespace {

Interval each_iteration() { return {.iterations = 1}; }

/// A kernel that adds its vertex's number in each iteration.
class Counting {
 public:
  explicit Counting(const Graph& graph)
      : graph_(graph), sum_(graph.make_vertex_array<std::int64_t>()) {}

  /// Returns the iterations that were made.
  std::int64_t run(Checkpoint* checkpoint, std::int64_t iterations,
                   const std::string& meaning = "by one") {
    CheckpointSession session(checkpoint, graph_, meaning);
    double half = 0;
    session.add("sum", sum_);
    session.add("half", half);
    const std::int64_t start = session.resume();
    EXPECT_EQ(half, static_cast<double>(start) / 2);
    for (std::int64_t i = start; i < iterations;) {
      sum_.forall([](std::int64_t v, std::int64_t& sum) { sum += v; });
      half += 0.5;
      session.after(++i);
    }
    session.finish(iterations);
    return iterations - start;
  }

  bool is_sum_of(std::int64_t iterations) const {
    const std::vector<std::int64_t> sums = collect(sum_, graph_.vertex_count());
    for (std::size_t v = 0; v < sums.size(); ++v) {
      if (sums[v] != iterations * static_cast<std::int64_t>(v)) return false;
    }
    return true;
  }

 private:
  Graph graph_;
  GlobalArray<std::int64_t> sum_;
};

template <class F>
void with_graph(const Config& config, const std::string& generator, F body) {
  SCOPED_TRACE(grappa::test::describe(config));
  const test::TestGraph graph = test::generated(generator);
  run(config, [&] { body(graph.build({.in_edges = true})); });
}

TEST(Checkpoint, GoesOnInEveryOtherShape) {
  const std::vector<Config> shapes = test::all_shapes();
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const TemporaryFolder folder;
    Checkpoint first("counting", {.write = folder.path("dir"), .every = each_iteration()});
    with_graph(shapes[i], "urand:9:3",
               [&](const Graph& graph) { EXPECT_EQ(Counting(graph).run(&first, 3), 3); });
    EXPECT_EQ(first.written(), 3);
    Checkpoint second("counting", {.resume = folder.path("dir")});
    EXPECT_EQ(second.resumes_after(), 3);
    with_graph(shapes[(i + 3) % shapes.size()], "urand:9:3", [&](const Graph& graph) {
      Counting counting(graph);
      EXPECT_EQ(counting.run(&second, 5), 2);
      EXPECT_TRUE(counting.is_sum_of(5));
    });
    EXPECT_EQ(second.written(), 0);
  }
}

TEST(Checkpoint, WritesWhenItIsTimeAndAtTheEnd) {
  const TemporaryFolder folder;
  for (const auto& [every, written] : {std::pair<Interval, int>{{.iterations = 4}, 3},
                                       {{.iterations = 5}, 2},
                                       {{.iterations = 0, .seconds = 1e6}, 1},
                                       {{.iterations = 0, .seconds = 1e-9}, 10}}) {
    std::filesystem::remove_all(folder.path("dir"));
    Checkpoint checkpoint("counting", {.write = folder.path("dir"), .every = every});
    with_graph(grappa::test::threads(1), "grid:3x3",
               [&](const Graph& graph) { Counting(graph).run(&checkpoint, 10); });
    EXPECT_EQ(checkpoint.written(), written);
    EXPECT_EQ(read_manifest(folder.path("dir")).iteration, 10);
  }
}

TEST(Checkpoint, WithoutOneNothingHappens) {
  with_graph(grappa::test::cluster(2, 1), "grid:3x3", [](const Graph& graph) {
    Counting counting(graph);
    EXPECT_EQ(counting.run(nullptr, 2), 2);
    EXPECT_TRUE(counting.is_sum_of(2));
  });
}

template <class F>
void expect_usage_error(F action, const std::string& text) {
  try {
    action();
    FAIL() << "no error; expected: " << text;
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr(text));
  }
}

TEST(Checkpoint, OfSomethingElseIsRefused) {
  const TemporaryFolder folder;
  const std::string path = folder.path("dir");
  Checkpoint first("counting", {.write = path, .every = each_iteration()});
  const Config config = grappa::test::cluster(2, 1);
  with_graph(config, "grid:5x5", [&](const Graph& graph) { Counting(graph).run(&first, 1); });
  expect_usage_error([&] { Checkpoint("other", {.resume = path}); }, "of counting, not of other");
  expect_usage_error([&] { Checkpoint("counting", {.write = path}); }, "would be lost");
  const auto go_on = [&](const std::string& generator, const std::string& meaning) {
    Checkpoint second("counting", {.resume = path});
    with_graph(config, generator,
               [&](const Graph& graph) { Counting(graph).run(&second, 5, meaning); });
  };
  expect_usage_error([&] { go_on("grid:5x6", "by one"); }, "25 vertices");
  expect_usage_error([&] { go_on("grid:25x1", "by one"); }, "another graph");
  expect_usage_error([&] { go_on("grid:5x5", "by two"); }, "made with by one, this run has by two");
  go_on("grid:5x5", "by one");
}

TEST(Checkpoint, AFailureLeavesTheOneBefore) {
  for (const Config& config : {grappa::test::threads(1), grappa::test::cluster(3, 1)}) {
    const TemporaryFolder folder;
    const std::string path = folder.path("dir");
    Checkpoint first("counting", {.write = path, .every = each_iteration()});
    with_graph(config, "urand:9:3", [&](const Graph& graph) { Counting(graph).run(&first, 1); });
    // In the way of the next manifest, which so cannot be written.
    std::filesystem::create_directory(path + "/manifest.tmp");
    Checkpoint second("counting", {.write = path, .resume = path, .every = each_iteration()});
    try {
      with_graph(config, "urand:9:3", [&](const Graph& graph) { Counting(graph).run(&second, 9); });
      FAIL();
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr("the one after iteration 1 is whole"));
    }
    std::filesystem::remove(path + "/manifest.tmp");
    const auto files = std::distance(std::filesystem::directory_iterator(path), {});
    EXPECT_EQ(files, 1 + config.locales) << "the manifest and its parts";
    Checkpoint third("counting", {.resume = path});
    with_graph(config, "urand:9:3", [&](const Graph& graph) {
      Counting counting(graph);
      EXPECT_EQ(counting.run(&third, 4), 3);
      EXPECT_TRUE(counting.is_sum_of(4));
    });
  }
}

void expect_same_with_checkpoints(const test::TestGraph& test) {
  const TemporaryFolder folder;
  const Graph graph = test.build({.in_edges = true});
  const std::int64_t n = graph.vertex_count();
  const PageRankOptions ten{.tolerance = 0, .max_iterations = 10};
  const std::vector<double> ranks = collect(*pagerank(graph, ten).rank, n);
  Checkpoint first("pagerank", {.write = folder.path("pr"), .every = {.iterations = 3}});
  pagerank(graph, {.tolerance = 0, .max_iterations = 4, .checkpoint = &first});
  Checkpoint second("pagerank", {.resume = folder.path("pr")});
  const PageRankResult rest =
      pagerank(graph, {.tolerance = 0, .max_iterations = 10, .checkpoint = &second});
  EXPECT_EQ(rest.iterations, 10);
  EXPECT_EQ(collect(*rest.rank, n), ranks);

  const std::vector<VertexId> labels = collect(*connected_components(graph).label, n);
  Checkpoint third("cc", {.write = folder.path("cc"), .every = {.iterations = 9}});
  EXPECT_EQ(collect(*connected_components(graph, {.checkpoint = &third}).label, n), labels);
  Checkpoint fourth("cc", {.resume = folder.path("cc")});
  EXPECT_EQ(collect(*connected_components(graph, {.checkpoint = &fourth}).label, n), labels);
}

TEST(Checkpoint, ResultsAreThoseWithout) {
  // Each one waits for the disk some times: a few graphs and shapes.
  const std::vector<test::TestGraph> graphs = {test::generated("kron:11:8"),
                                               test::directed(test::generated("urand:10:4")),
                                               {"one vertex", test::make_list(1, true, {})}};
  for (const Config& config : {grappa::test::threads(2), grappa::test::cluster(2, 2),
                               grappa::test::deterministic(8, 1, 4)}) {
    SCOPED_TRACE(grappa::test::describe(config));
    run(config, [&] {
      for (const test::TestGraph& graph : graphs) {
        SCOPED_TRACE(graph.name);
        expect_same_with_checkpoints(graph);
      }
    });
  }
}

void expect_components_go_on(const test::TestGraph& test) {
  SCOPED_TRACE(test.name);
  std::vector<VertexId> labels;
  run(grappa::test::threads(2), [&] {
    const Graph graph = test.build();
    labels = collect(*connected_components(graph).label, graph.vertex_count());
  });
  const std::vector<Config> shapes = {grappa::test::threads(2), grappa::test::cluster(3, 1)};
  for (const Config& before : shapes) {
    for (const std::int64_t step : {1, 2, 9, 16}) {
      const TemporaryFolder folder;
      const std::string path = folder.path("dir");
      std::filesystem::create_directory(path);
      Checkpoint first("cc", {.write = path, .every = {.iterations = step}});
      const auto stop = [&] {
        run(before, [&] {
          const Graph graph = test.build();
          const auto stop_there = [&](std::int64_t done, std::int64_t steps) {
            EXPECT_EQ(steps, 17);
            if (done == step) throw std::runtime_error("stopped");
          };
          connected_components(graph, {.on_step = stop_there, .checkpoint = &first});
        });
      };
      EXPECT_THROW(stop(), std::runtime_error);
      EXPECT_EQ(read_manifest(path).iteration, step);
      for (const Config& after : shapes) {
        Checkpoint second("cc", {.resume = path});
        run(after, [&] {
          const Graph graph = test.build();
          EXPECT_EQ(collect(*connected_components(graph, {.checkpoint = &second}).label,
                            graph.vertex_count()),
                    labels);
        });
      }
    }
  }
}

TEST(Checkpoint, ComponentsGoOnFromTheMiddle) {
  expect_components_go_on(test::generated("urand:15:1"));
  expect_components_go_on(test::mostly_local(1 << 17, 1 << 17, false));
}

}  // namespace
}  // namespace grappa::graph
