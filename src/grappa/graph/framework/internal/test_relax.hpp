#pragma once

// A program for edge_map that several tests use.

#include "grappa/graph/framework/vertex_view.hpp"
#include "grappa/graph/structure/graph.hpp"
#include "grappa/graph/structure/internal/shared_values.hpp"

namespace grappa::graph::test {

/// Shortest paths, all improvements of a round at once: with values, weights and all functions.
struct Relax {
  static constexpr bool kWeighted = true;
  using Value = double;
  VertexView<double> distance;
  void bind() { distance.bind(); }
  double value(VertexId u) const { return distance[u]; }
  bool update(VertexId v, const auto& arc) const {
    const double d = arc.value + arc.weight;
    if (d >= distance[v]) return false;
    distance[v] = d;
    return true;
  }
  bool update_atomic(VertexId v, const auto& arc) const {
    return lower_shared(distance[v], arc.value + arc.weight);
  }
};

}  // namespace grappa::graph::test
