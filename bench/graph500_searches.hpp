#pragma once

// Kernels 2 and 3 of the Graph500 benchmark: each search timed, and validated.

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "bench/graph500_input.hpp"
#include "bench/graph500_validator.hpp"
#include "bench/measure.hpp"
#include "bench/stolen_time.hpp"
#include "grappa/graph/algorithms/bfs/bfs.hpp"
#include "grappa/graph/algorithms/sssp/shortest_path_tree.hpp"
#include "grappa/graph/algorithms/sssp/sssp.hpp"

namespace grappa::bench {

/// Kernel 2.
struct BreadthFirst {
  static constexpr std::string_view kName = "bfs";
  static constexpr bool kWeighted = false;
  graph::BfsResult result;

  void run(const graph::Graph& graph, graph::VertexId key) { result = graph::bfs(graph, key); }
  void give_to(const Graph500Validator& validator, const graph::Graph& graph) const {
    validator.take(graph, *result.parent, *result.depth);
  }
  void discard() { result = {}; }
};

/// Kernel 3.
struct ShortestPaths {
  static constexpr std::string_view kName = "sssp";
  static constexpr bool kWeighted = true;
  graph::SsspResult result;
  Owned<GlobalArray<graph::VertexId>> parent;

  void run(const graph::Graph& graph, graph::VertexId key) {
    result = graph::sssp(graph, key);
    parent = graph::shortest_path_tree(graph, key, *result.distance);
  }
  void give_to(const Graph500Validator& validator, const graph::Graph& graph) const {
    validator.take(graph, *parent, *result.distance);
  }
  void discard() {
    result = {};
    parent.reset();
  }
};

/// What is known of the searches of a kernel, by key.
struct Graph500Searches {
  std::string_view name;
  std::vector<double> seconds;
  std::vector<double> edges;
  std::vector<double> validation_seconds;
  double stolen = 0;  // of the seconds, the fraction of a processor's time that the host took
};

/// Searches from each key in turn, after one search that is not timed. Error, naming the key and
/// the rule, for a result that is wrong. Called by one task; switches tasks.
template <class Kernel>
Graph500Searches graph500_search(const graph::Graph& graph, const Graph500Input& input,
                                 const std::vector<graph::VertexId>& keys,
                                 const Graph500Validator& validator) {
  Graph500Searches searches;
  searches.name = Kernel::kName;
  Kernel kernel;
  kernel.run(graph, keys.front());
  kernel.discard();
  double stolen_seconds = 0;
  double all_seconds = 0;
  for (const graph::VertexId key : keys) {
    const StolenFraction stolen;
    std::uint64_t start = internal::now_ns();
    kernel.run(graph, key);
    const double seconds = seconds_since(start);
    stolen_seconds += stolen.so_far() * seconds;
    all_seconds += seconds;

    start = internal::now_ns();
    kernel.give_to(validator, graph);
    kernel.discard();
    input.visit(Kernel::kWeighted,
                [validator](auto edges, auto weights) { validator.check(edges, weights); });
    const Graph500Validation found = validator.finish(graph, key);
    if (!found.failure.empty())
      throw Error(fmt::format("bench graph500: {} from {}: {}", Kernel::kName, key, found.failure));
    searches.validation_seconds.push_back(seconds_since(start));
    searches.seconds.push_back(seconds);
    searches.edges.push_back(static_cast<double>(found.edges));
  }
  searches.stolen = stolen_seconds / all_seconds;
  return searches;
}

}  // namespace grappa::bench
