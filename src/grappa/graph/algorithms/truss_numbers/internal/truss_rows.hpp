#pragma once

// The edges that are left while trusses are peeled, and in how many triangles each is: what the
// cores of a locale share.
//
// A row has the neighbors of a vertex that edges are left to, ascending, and lies where that of the
// graph does. Each edge has an owner, the end that has fewer neighbors (of two with about as many,
// either): it knows in how many triangles the edge is. So looking for an edge in the row of its
// owner takes little. Both ends know whether the edge is left, in the rounds of peeling.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>

#include "grappa/graph/algorithms/internal/neighborhood.hpp"
#include "grappa/graph/algorithms/truss_numbers/truss_numbers.hpp"
#include "grappa/graph/structure/graph.hpp"
#include "grappa/graph/structure/internal/shared_values.hpp"

namespace grappa::graph {

using PeelingRound = std::uint32_t;

struct OwnedEdge {
  VertexId owner;
  VertexId other;
};

class TrussRows {
 public:
  static constexpr PeelingRound kLeft = std::numeric_limits<PeelingRound>::max();
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

  /// `rank`: of all vertices, by degree. The others have an element for each arc, or vertex, of
  /// this locale.
  TrussRows(const Graph& graph, const VertexId* rank, VertexId* lengths, VertexId* neighbors,
            PeelingRound* removed, TrussNumber* triangles)
      : near_(graph),
        out_(graph.out()),
        begin_(graph.locale_begin()),
        end_(graph.locale_end()),
        rank_(rank),
        lengths_(lengths),
        neighbors_(neighbors),
        removed_(removed),
        triangles_(triangles) {}

  bool is_here(VertexId v) const { return v >= begin_ && v < end_; }
  OwnedEdge edge(VertexId v, VertexId w) const {
    return rank_[v] > rank_[w] ? OwnedEdge{v, w} : OwnedEdge{w, v};
  }
  bool owns(VertexId v, VertexId w) const { return rank_[v] > rank_[w]; }

  // ---- rows; arcs of this locale have numbers, which stay until compact()

  std::size_t begin(VertexId v) const { return out_.offset(v); }
  std::size_t end(VertexId v) const { return begin(v) + lengths_[v - begin_]; }
  VertexId neighbor(std::size_t arc) const { return neighbors_[arc]; }
  /// The first arc of [first, last) whose neighbor is w or greater.
  std::size_t first_from(std::size_t first, std::size_t last, VertexId w) const {
    return static_cast<std::size_t>(std::lower_bound(neighbors_ + first, neighbors_ + last, w) -
                                    neighbors_);
  }
  /// The arc from v to w, which is there.
  std::size_t arc(VertexId v, VertexId w) const { return first_from(begin(v), end(v), w); }

  PeelingRound& removed(std::size_t arc) const { return removed_[arc]; }
  TrussNumber& triangles(std::size_t arc) const { return triangles_[arc]; }

  /// A triangle less; true if that leaves `least`, below which it never goes.
  bool lose_triangle(std::size_t arc, TrussNumber least) const {
    return count_down_shared(triangles_[arc], least);
  }

  /// Those of the graph.
  void fill(VertexId v) const {
    std::size_t at = begin(v);
    near_.for_each(v, [&](VertexId w, bool) {
      neighbors_[at] = w;
      removed_[at++] = kLeft;
    });
    lengths_[v - begin_] = static_cast<VertexId>(at - begin(v));
  }
  /// Without what has been removed.
  void compact(VertexId v) const {
    std::size_t to = begin(v);
    for (std::size_t from = to; from < end(v); ++from) {
      if (removed_[from] != kLeft) continue;
      neighbors_[to] = neighbors_[from];
      removed_[to] = kLeft;
      triangles_[to++] = triangles_[from];
    }
    lengths_[v - begin_] = static_cast<VertexId>(to - begin(v));
  }

 private:
  Neighborhood near_;
  Adjacency out_;
  std::int64_t begin_;
  std::int64_t end_;
  const VertexId* rank_;
  VertexId* lengths_;
  VertexId* neighbors_;
  PeelingRound* removed_;
  TrussNumber* triangles_;  // of the edges whose owner the vertex is
};

}  // namespace grappa::graph
