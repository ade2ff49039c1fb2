#pragma once

// A whole graph in the memory of one locale, for code that is serial on purpose: verifiers, tests.
//
//   SerialGraph all = SerialGraph::of(graph);       // of a distributed graph; switches tasks
//   std::vector<Edge> edges{{0, 1}, {1, 2}};
//   SerialGraph path(3, false, edges);              // of a few edges; usable outside a run
//   for (VertexId w : all.neighbors(v)) use(w);
//
// Its vertices have the numbers that they have in the list which the graph was built from. On one
// locale `of` copies nothing but the weights, unless the graph is reordered: the object is valid as
// long as the graph. Not copyable.

#include <cstdint>
#include <span>
#include <vector>

#include "grappa/graph/io/edge_list.hpp"
#include "grappa/graph/structure/graph.hpp"

namespace grappa::graph {

class SerialGraph {
 public:
  static SerialGraph of(const Graph& graph);
  /// With the numbers of the graph itself.
  static SerialGraph as_numbered(const Graph& graph);
  /// Undirected edges stand in the rows of both ends, self-loops once.
  /// `weights`: as many as edges, or none.
  SerialGraph(std::int64_t vertex_count, bool directed, std::span<const Edge> edges,
              std::span<const double> weights = {});

  SerialGraph(SerialGraph&&) = default;
  SerialGraph& operator=(SerialGraph&&) = default;

  std::int64_t vertex_count() const { return static_cast<std::int64_t>(offsets_.size()) - 1; }
  std::int64_t arc_count() const { return static_cast<std::int64_t>(offsets_.back()); }
  bool is_directed() const { return directed_; }
  /// Out-edges, ascending, and equal ones by ascending weight.
  std::span<const VertexId> neighbors(std::int64_t v) const {
    const auto i = static_cast<std::size_t>(v);
    return targets_.subspan(offsets_[i], offsets_[i + 1] - offsets_[i]);
  }
  /// The rows one after the other: where each begins and the last one ends, and the neighbors.
  std::span<const std::uint64_t> offsets() const { return offsets_; }
  std::span<const VertexId> targets() const { return targets_; }
  bool has_weights() const { return !weights_.empty(); }
  /// Of the edge to neighbors(v)[i]; 1 without weights.
  double weight(std::int64_t v, std::size_t i) const {
    return weights_.empty() ? 1 : weights_[offsets_[static_cast<std::size_t>(v)] + i];
  }
  /// Of the edges to all of targets(); empty without weights.
  std::span<const double> weights() const { return weights_; }

 private:
  SerialGraph() = default;
  void own(std::vector<std::uint64_t> offsets, std::vector<VertexId> targets);

  std::span<const std::uint64_t> offsets_;
  std::span<const VertexId> targets_;
  bool directed_ = true;
  std::vector<std::uint64_t> own_offsets_;
  std::vector<VertexId> own_targets_;
  std::vector<double> weights_;
};

}  // namespace grappa::graph
