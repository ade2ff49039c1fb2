#pragma once

// A depth and a parent in one word, such that the smallest word is the right one: what
// breadth-first search as a vertex program gathers.
//
//   const VisitCode code(graph.vertex_count());
//   Visit best = std::min(code.visit(3, 17), code.visit(2, 40));       // depth 2, parent 40
//
// Errors: Error for a depth that does not fit beside the vertices of the graph, which only happens
// from 2^32 of them on.

#include <algorithm>
#include <bit>
#include <cstdint>

#include "grappa/base/error.hpp"
#include "grappa/graph/structure/vertex_id.hpp"

namespace grappa::graph {

using Visit = std::uint64_t;
inline constexpr Visit kNoVisit = ~Visit{0};

/// How the two are packed. Vertices of 32 bits leave 32 bits for the depth; wider vertices take as
/// many bits as the graph needs.
class VisitCode {
 public:
  explicit VisitCode(std::int64_t vertices)
      : parent_bits_(std::max(
            32, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(vertices - 1))))) {}

  Visit visit(std::uint64_t depth, VertexId parent) const {
    if constexpr (kVertexBits == 64) {
      // Bits that are all set are those of kNoVisit.
      if (depth >= kNoVisit >> parent_bits())
        throw Error("bfs_program: the graph is too deep for the number of its vertices");
    }
    return depth << parent_bits() | static_cast<std::uint64_t>(parent);
  }
  std::uint64_t depth_of(Visit v) const { return v >> parent_bits(); }
  VertexId parent_of(Visit v) const {
    return static_cast<VertexId>(v & ((Visit{1} << parent_bits()) - 1));
  }

 private:
  int parent_bits() const {
    if constexpr (kVertexBits == 32) return 32;
    return parent_bits_;
  }

  int parent_bits_;
};

}  // namespace grappa::graph
