#pragma once

// Rows of vertices of other locales, which a locale has asked for: of each the neighbors below it.
// Made on every locale by its own task.

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "grappa/graph/graph.hpp"
#include "grappa/graph/halo.hpp"

namespace grappa::graph {

class HaloRows {
 public:
  /// To every locale of `halo`, where the rows are put. One task calls; switches tasks.
  static void fetch(const Graph& graph, const Halo& halo, Replica<HaloRows*> rows);

  /// Of a vertex of the halo.
  std::span<const VertexId> below(VertexId v) const {
    const auto at =
        static_cast<std::size_t>(std::ranges::lower_bound(vertices_, v) - vertices_.begin());
    return std::span(neighbors_).subspan(begins_[at], begins_[at + 1] - begins_[at]);
  }

 private:
  std::vector<VertexId> vertices_;
  std::vector<std::size_t> begins_{0};
  std::vector<VertexId> neighbors_;
};

}  // namespace grappa::graph
