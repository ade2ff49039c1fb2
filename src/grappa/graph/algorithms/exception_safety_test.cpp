// What a kernel allocates is free again when it ends, and when its result does: also if a callback,
// a checkpoint or the kernel itself throws.
#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <exception>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "grappa/base/error.hpp"
#include "grappa/graph/algorithms/betweenness/betweenness.hpp"
#include "grappa/graph/algorithms/bfs/bfs.hpp"
#include "grappa/graph/algorithms/coloring/coloring.hpp"
#include "grappa/graph/algorithms/connected_components/connected_components.hpp"
#include "grappa/graph/algorithms/core_numbers/core_numbers.hpp"
#include "grappa/graph/algorithms/degree_statistics/degree_statistics.hpp"
#include "grappa/graph/algorithms/independent_set/independent_set.hpp"
#include "grappa/graph/algorithms/label_propagation/label_propagation.hpp"
#include "grappa/graph/algorithms/local_clustering/local_clustering.hpp"
#include "grappa/graph/algorithms/pagerank/pagerank.hpp"
#include "grappa/graph/algorithms/spanning_forest/spanning_forest.hpp"
#include "grappa/graph/algorithms/sssp/shortest_path_tree.hpp"
#include "grappa/graph/algorithms/sssp/sssp.hpp"
#include "grappa/graph/algorithms/triangles/triangles.hpp"
#include "grappa/graph/algorithms/truss_numbers/truss_numbers.hpp"
#include "grappa/graph/test_graphs.hpp"
#include "grappa/parallel/cancellation.hpp"
#include "grappa/parallel/spawn.hpp"
#include "grappa/parallel/test_allocations.hpp"
#include "tests/support/graph_files.hpp"

namespace grappa::graph {
namespace {

/// In the second, locales tell one another only what they share.
std::vector<test::TestGraph> far_and_near(bool directed) {
  const test::TestGraph far = test::generated("kron:10:8");
  std::vector<test::TestGraph> graphs;
  graphs.push_back(test::weighted(directed ? test::directed(far) : far, WeightType::kByte));
  graphs.push_back(test::weighted(test::mostly_local(4000, 12'000, directed), WeightType::kByte));
  return graphs;
}

/// body(graph), which leaves nothing behind, on one locale and on several.
template <class F>
void expect_nothing_left(const std::vector<test::TestGraph>& graphs, F body) {
  for (const Config& config : {grappa::test::threads(2), grappa::test::cluster(4, 1)}) {
    SCOPED_TRACE(grappa::test::describe(config));
    run(config, [&] {
      for (const test::TestGraph& test : graphs) {
        SCOPED_TRACE(test.name);
        Graph graph = test.build({.in_edges = true});
        const std::size_t before = grappa::test::live_allocations();
        body(graph);
        EXPECT_EQ(grappa::test::live_allocations(), before);
        graph.destroy();
      }
    });
  }
}

/// A callback that throws when it is called the n-th time.
auto throwing_at(std::int64_t n) {
  return [n](std::int64_t call, auto...) {
    if (call == n) throw std::runtime_error("enough");
  };
}

/// A checkpoint that cannot be written.
class FailingCheckpoint {
 public:
  explicit FailingCheckpoint(const std::string& kernel)
      : checkpoint_(kernel, {.write = folder_.path("dir"), .every = {.iterations = 1}}) {
    // In the way of the manifest.
    std::filesystem::create_directory(folder_.path("dir/manifest.tmp"));
  }
  Checkpoint* get() { return &checkpoint_; }

 private:
  const TemporaryFolder folder_;
  Checkpoint checkpoint_;
};

TEST(KernelExceptions, PageRank) {
  expect_nothing_left(far_and_near(true), [](const Graph& graph) {
    for (const auto precision : {PageRankPrecision::kDouble, PageRankPrecision::kSingle}) {
      for (const std::int64_t n : {1, 3}) {
        const PageRankOptions options{.precision = precision, .on_iteration = throwing_at(n)};
        EXPECT_THROW(pagerank(graph, options), std::runtime_error);
      }
      FailingCheckpoint checkpoint("pagerank");
      EXPECT_THROW(pagerank(graph, {.precision = precision, .checkpoint = checkpoint.get()}),
                   Error);
    }
  });
}

TEST(KernelExceptions, ConnectedComponents) {
  expect_nothing_left(far_and_near(false), [](const Graph& graph) {
    for (const std::int64_t n : {1, 2})
      EXPECT_THROW(connected_components(graph, {.on_step = throwing_at(n)}), std::runtime_error);
    FailingCheckpoint checkpoint("cc");
    EXPECT_THROW(connected_components(graph, {.checkpoint = checkpoint.get()}), Error);
  });
}

TEST(KernelExceptions, Betweenness) {
  expect_nothing_left(far_and_near(false), [](const Graph& graph) {
    const std::vector<VertexId> sources = {1, 2};
    for (const std::int64_t n : {1, 2})
      EXPECT_THROW(betweenness(graph, sources, {.on_source = throwing_at(n)}), std::runtime_error);
  });
}

TEST(KernelExceptions, LabelPropagation) {
  expect_nothing_left(far_and_near(true), [](const Graph& graph) {
    for (const std::int64_t n : {1, 2})
      EXPECT_THROW(label_propagation(graph, {.on_iteration = throwing_at(n)}), std::runtime_error);
  });
}

/// Those that look at what they have computed.
TEST(KernelExceptions, RefusedSums) {
  test::TestGraph path{"path", test::make_list(3, false, {{0, 1}, {1, 2}})};
  path.list.weights.assign({1e308, 1e308});
  expect_nothing_left({path}, [](const Graph& graph) {
    EXPECT_THROW(sssp(graph, 0), UsageError);
    EXPECT_THROW(minimum_spanning_forest(graph), UsageError);
  });
}

using Kernel = std::function<void(const Graph&)>;

/// For directed graphs as well as for others.
const std::vector<Kernel> kKernelsOfAnyGraph = {
    [](const Graph& graph) { bfs(graph, 1); },
    [](const Graph& graph) {
      const SsspResult paths = sssp(graph, 1);
      shortest_path_tree(graph, 1, *paths.distance);
    },
    [](const Graph& graph) { pagerank(graph); },
    [](const Graph& graph) {
      const ComponentsResult components = connected_components(graph);
      component_table(graph, *components.label);
    },
    [](const Graph& graph) { betweenness(graph, std::vector<VertexId>{1, 2}); },
    [](const Graph& graph) { label_propagation(graph); },
    [](const Graph& graph) { local_clustering(graph); },
    [](const Graph& graph) { degree_statistics(graph); },
    [](const Graph& graph) { vertex_degrees(graph, DegreeOf::kOut); },
};
const std::vector<Kernel> kOthers = {
    [](const Graph& graph) { color(graph); },
    [](const Graph& graph) { core_numbers(graph); },
    [](const Graph& graph) { truss_numbers(graph); },
    [](const Graph& graph) { maximal_independent_set(graph); },
    [](const Graph& graph) { minimum_spanning_forest(graph); },
    // In the order of the numbers, and by degree; with the rows of others in several blocks.
    [](const Graph& graph) { triangles(graph, {.per_vertex = true, .rows_above = 1e9}); },
    [](const Graph& graph) { triangles(graph, {.per_vertex = false, .rows_above = 1e9}); },
    [](const Graph& graph) {
      triangles(graph, {.per_vertex = true, .rows_above = 0, .block_edges = 500});
    },
    [](const Graph& graph) {
      triangles(graph, {.per_vertex = false, .rows_above = 0, .block_edges = 500});
    },
};

TEST(KernelResults, FreeTheirArrays) {
  for (const bool directed : {false, true}) {
    for (const Kernel& kernel : kKernelsOfAnyGraph)
      expect_nothing_left(far_and_near(directed), kernel);
  }
  for (const Kernel& kernel : kOthers) expect_nothing_left(far_and_near(false), kernel);
}

/// Each allocation fails, but for the smallest.
TEST(KernelExceptions, NoMemory) {
  const std::vector<test::TestGraph> graphs = {
      test::weighted(test::generated("grid:3x4"), WeightType::kByte)};
  for (const std::vector<Kernel>& kernels : {kKernelsOfAnyGraph, kOthers}) {
    for (const Kernel& kernel : kernels) {
      expect_nothing_left(graphs, [&kernel](const Graph& graph) {
        grappa::test::expect_nothing_left_behind([&] { kernel(graph); }, 512);
      });
    }
  }
}

/// Whether f() ends because it is cancelled.
template <class F>
bool is_cut_short(F f) {
  try {
    f();
    return false;
  } catch (...) {
    if (!is_of_cancelling(std::current_exception())) throw;
    return true;
  }
}

/// Asked for before they begin, so that each has to look.
TEST(KernelExceptions, Cancelled) {
  std::vector<Kernel> kernels = kKernelsOfAnyGraph;
  kernels.insert(kernels.end(), kOthers.begin(), kOthers.end());
  std::vector<test::TestGraph> graphs = far_and_near(false);
  // Of many short levels, which several locales find in supersteps.
  graphs.push_back(test::weighted(test::generated("grid:500x5"), WeightType::kByte));
  expect_nothing_left(graphs, [&kernels](const Graph& graph) {
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      SCOPED_TRACE(i);
      std::atomic<bool> asked{false};
      Cancellation cancellation(asked);
      asked = true;
      EXPECT_TRUE(is_cut_short([&] { kernels[i](graph); }));
      cancellation.clear();
      EXPECT_NO_THROW(kernels[i](graph));
    }
  });
}

/// While they run, at another moment each time.
TEST(KernelExceptions, CancelledInBetween) {
  const std::vector<test::TestGraph> graphs = {
      test::weighted(test::generated("grid:300x300"), WeightType::kByte)};
  expect_nothing_left(graphs, [](const Graph& graph) {
    for (const std::vector<Kernel>& kernels : {kKernelsOfAnyGraph, kOthers}) {
      for (const Kernel& kernel : kernels) {
        for (int yields = 0; yields < 40; yields += 7) {
          std::atomic<bool> asked{false};
          Cancellation cancellation(asked);
          CompletionEvent asking;
          spawn(asking, [&asked, yields] {
            for (int i = 0; i < yields; ++i) yield();
            asked = true;
          });
          is_cut_short([&] { kernel(graph); });
          asking.wait();
          cancellation.clear();
        }
      }
    }
  });
}

TEST(KernelExceptions, BuildingCancelled) {
  const test::TestGraph test = test::generated("kron:10:8");
  for (const Config& config : {grappa::test::threads(2), grappa::test::cluster(4, 1)}) {
    run(config, [&] {
      const std::size_t before = grappa::test::live_allocations();
      std::atomic<bool> asked{false};
      Cancellation cancellation(asked);
      asked = true;
      EXPECT_TRUE(is_cut_short([&] { test.build().destroy(); }));
      EdgeList taken = test::copy_of(test.list);
      EXPECT_TRUE(is_cut_short([&] { build_graph(taken).destroy(); }));
      cancellation.clear();
      EXPECT_THROW(build_graph(taken), UsageError);  // rather than a graph of what is left
      EXPECT_EQ(grappa::test::live_allocations(), before);
      test.build().destroy();
    });
  }
}

TEST(KernelResults, AreMoved) {
  expect_nothing_left(far_and_near(false), [](const Graph& graph) {
    const std::size_t before = grappa::test::live_allocations();
    BfsResult result = bfs(graph, 1);
    EXPECT_EQ(grappa::test::live_allocations(), before + 2);
    BfsResult moved = std::move(result);
    result = bfs(graph, 2);
    EXPECT_EQ(grappa::test::live_allocations(), before + 4);
    result = std::move(moved);
    EXPECT_EQ(grappa::test::live_allocations(), before + 2);
  });
}

}  // namespace
}  // namespace grappa::graph
