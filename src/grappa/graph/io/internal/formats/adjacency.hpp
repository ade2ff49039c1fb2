#pragma once

// An edge list ordered by vertex, for the formats that list neighbors.
//
//   Adjacency out = build_adjacency(list, ArcsOf::kBothEnds, parallel);
//   for (VertexId target : out.neighbors_of(v)) use(target);
//
// Neighbors ascend; duplicates and self-loops are as in the list. Made for writing files: the
// counting is serial, only the sorting of the rows is parallel.

#include <cstdint>
#include <span>

#include "grappa/graph/io/edge_list.hpp"
#include "grappa/graph/io/internal/io_names.hpp"
#include "grappa/io/parallel_for.hpp"
#include "grappa/io/uninitialized_vector.hpp"

namespace grappa::graph::io {

enum class ArcsOf : std::uint8_t {
  kSource,     // each edge with its source
  kTarget,     // each edge with its target
  kBothEnds,   // each edge with both ends, self-loops once
  kSmallerEnd  // each edge with the smaller of its ends
};

struct Adjacency {
  UninitializedVector<std::int64_t> offsets;  // [vertices + 1]
  UninitializedVector<VertexId> neighbors;    // [arcs]
  UninitializedVector<double> weights;        // [arcs], or empty

  std::span<const VertexId> neighbors_of(std::int64_t vertex) const {
    const auto v = static_cast<std::size_t>(vertex);
    return {neighbors.data() + offsets[v], static_cast<std::size_t>(offsets[v + 1] - offsets[v])};
  }
  std::span<const double> weights_of(std::int64_t vertex) const {
    const auto v = static_cast<std::size_t>(vertex);
    if (weights.empty()) return {};
    return {weights.data() + offsets[v], static_cast<std::size_t>(offsets[v + 1] - offsets[v])};
  }
};

Adjacency build_adjacency(const EdgeList& list, ArcsOf arcs, const ParallelFor& parallel);

}  // namespace grappa::graph::io
