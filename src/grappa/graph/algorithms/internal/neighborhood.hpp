#pragma once

// The neighbors of a vertex in the simple undirected graph that underlies any graph: the vertices
// joined to it by an edge in either direction, each once, without the vertex itself.
//
//   const Neighborhood near(graph);
//   near.for_each(v, [&](VertexId w, bool both) { … });   // ascending; both: v -> w and w -> v
//   std::int64_t degree = near.size(v);
//
// For vertices of the calling locale. A directed graph must have in-edges. Edges of an undirected
// graph count as edges in both directions.

#include <algorithm>
#include <cstdint>
#include <span>

#include "grappa/graph/structure/graph.hpp"

namespace grappa::graph {

class Neighborhood {
 public:
  explicit Neighborhood(const Graph& graph) : out_(graph.out()), directed_(graph.is_directed()) {
    if (directed_) in_ = graph.in();
  }

  /// Edges stored with v: at least size(v).
  std::int64_t stored(std::int64_t v) const {
    return out_.degree(v) + (directed_ ? in_.degree(v) : 0);
  }

  template <class Use>
  void for_each(std::int64_t v, Use use) const {
    const auto self = static_cast<VertexId>(v);
    const std::span<const VertexId> out = out_.neighbors(v);
    if (!directed_) {
      VertexId last = self;
      for (const VertexId w : out) {
        if (w != self && w != last) use(w, true);
        last = w;
      }
      return;
    }
    const std::span<const VertexId> in = in_.neighbors(v);
    auto a = out.begin();
    auto b = in.begin();
    while (a != out.end() || b != in.end()) {
      const VertexId w = b == in.end() ? *a : (a == out.end() ? *b : std::min<VertexId>(*a, *b));
      const auto a_next = std::find_if(a, out.end(), [w](VertexId x) { return x != w; });
      const auto b_next = std::find_if(b, in.end(), [w](VertexId x) { return x != w; });
      if (w != self) use(w, a_next != a && b_next != b);
      a = a_next;
      b = b_next;
    }
  }

  std::int64_t size(std::int64_t v) const {
    std::int64_t count = 0;
    for_each(v, [&count](VertexId, bool) { ++count; });
    return count;
  }

 private:
  Adjacency out_;
  Adjacency in_;
  bool directed_;
};

}  // namespace grappa::graph
