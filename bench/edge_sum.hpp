#pragma once

// A checksum of a list of edges that does not depend on their order or on which locale has which:
// for comparing what was read with what was written.

#include <cstdint>
#include <span>

#include "grappa/graph/build/internal/edge_parts.hpp"
#include "grappa/graph/io/edge_list.hpp"
#include "grappa/graph/structure/graph.hpp"

namespace grappa::bench {

/// Arcs of the rows that the edges make: an undirected edge has two, a self-loop one.
struct ArcSum {
  std::int64_t arcs = 0;
  std::uint64_t sum = 0;

  void add(std::uint64_t row, std::uint64_t neighbor);
  void add(const graph::Edge& edge, bool directed);
  friend ArcSum operator+(const ArcSum& a, const ArcSum& b) {
    return {a.arcs + b.arcs, a.sum + b.sum};
  }
  friend bool operator==(const ArcSum&, const ArcSum&) = default;
};

/// Of numbers as a file has them: vertices are numbered by the ascending numbers that occur.
ArcSum sum_of_file(std::span<const graph::Edge> edges, bool directed);

/// Called by one task; these switch tasks.
ArcSum sum_of(const graph::EdgeParts& list);
ArcSum sum_of(const graph::Graph& graph);

}  // namespace grappa::bench
