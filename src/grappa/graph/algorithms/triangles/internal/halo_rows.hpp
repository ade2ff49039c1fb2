#pragma once

// Rows of vertices of other locales that a locale has asked for: for each, its neighbors below it.

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "grappa/graph/structure/graph.hpp"
#include "grappa/graph/structure/internal/halo.hpp"
#include "grappa/parallel/locale_state.hpp"
#include "grappa/parallel/owned.hpp"

namespace grappa::graph {

class HaloRows {
 public:
  /// The rows of every locale's halo, on that locale. Called by one task; switches tasks.
  static Owned<LocaleState<HaloRows>> fetch(const Graph& graph, const Halo& halo);

  /// The row of a vertex of the halo.
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
