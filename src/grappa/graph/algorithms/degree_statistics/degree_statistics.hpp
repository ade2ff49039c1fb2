#pragma once

// How the degrees of a graph's vertices are distributed.
//
//   DegreesResult result = degree_statistics(graph);
//   use(result.out.median, result.out.distribution);
//   std::vector<std::int64_t> degree = vertex_degrees(graph, DegreeOf::kOut);
//
// A degree is how many edges are stored with a vertex: an undirected edge counts at both its ends,
// a self-loop once, and equal edges each. All numbers are functions of the exact distribution, and
// the same to the last bit whatever the number of cores and locales. degree_statistics() and
// vertex_degrees() are called by one task and switch tasks. Errors: UsageError for a directed graph
// without in-edges.

#include <cstdint>
#include <vector>

#include "grappa/graph/algorithms/verification.hpp"
#include "grappa/graph/structure/graph.hpp"

namespace grappa::graph {

/// How many vertices have a degree.
struct DegreeCount {
  std::int64_t degree = 0;
  std::int64_t vertices = 0;

  friend bool operator==(const DegreeCount&, const DegreeCount&) = default;
};

/// All 0 without vertices.
struct DegreeStatistics {
  std::int64_t least = 0;
  std::int64_t greatest = 0;
  double mean = 0;
  double median = 0;  // the mean of the middle two of an even number
  /// The smallest degree that at least so many percent of the vertices do not exceed.
  std::int64_t percentile_90 = 0;
  std::int64_t percentile_99 = 0;
  double standard_deviation = 0;  // of the whole population
  /// The Gini coefficient: 0 where all vertices have the same degree, near 1 where few have all.
  double gini = 0;
  /// The part of all edge ends that the 1 % of the vertices with the highest degrees have (one
  /// vertex at least). 0 without edges.
  double top_fraction = 0;
  std::vector<DegreeCount> distribution;  // by ascending degree, of those that there are
};

struct DegreesResult {
  DegreeStatistics out;
  DegreeStatistics in;        // of directed graphs only
  std::int64_t isolated = 0;  // vertices without any edge
};

DegreesResult degree_statistics(const Graph& graph);

/// The numbers that follow from a distribution. Usable outside a run.
DegreeStatistics statistics_of(std::vector<DegreeCount> distribution);

enum class DegreeOf : std::uint8_t { kOut, kIn };

/// The degrees of all vertices, on the calling locale.
std::vector<std::int64_t> vertex_degrees(const Graph& graph, DegreeOf which);

/// Checks what was found. Called by one task; switches tasks.
Verification verify(const Graph& graph, const DegreesResult& result);

/// Without any runtime.
Verification verify_degree_statistics(const SerialGraph& graph, const DegreesResult& result);

}  // namespace grappa::graph
