#pragma once

// The same as merge_forests.hpp for graphs whose edges mostly stay on a locale (is_mostly_local):
// the amount sent grows with the edges between locales, and no locale visits vertices of others to
// which it has no edge.
//
//   const Owned<BorderMerge> borders = BorderMerge::create(graph, labels);
//   …                        // every vertex is a root; each locale links edges of its own vertices
//   borders->touch(w);       // in its copy of the labels, and notes their ends on other locales
//   borders->merge(kNoVertex);
//
// The border is the set of vertices that some locale has linked without being their home. Each
// locale tells all others what it knows of the border in two rounds: first its vertices of other
// locales, each with its root here, so that homes learn which of their vertices are in the border;
// then those, with their roots at home. A path between two locales passes from the links of one to
// the links of the other at a vertex of the border, so nothing else needs to be told. Afterwards
// the labels of a locale's own vertices and of the border are the same on all locales.
//
// touch() is called by each core; the rest by one task, and switches tasks.

#include <cstdint>

#include "grappa/container/replica.hpp"
#include "grappa/graph/structure/graph.hpp"
#include "grappa/graph/structure/internal/bitmap.hpp"
#include "grappa/parallel/exchange.hpp"
#include "grappa/parallel/locale_state.hpp"
#include "grappa/parallel/owned.hpp"

namespace grappa::graph {

class BorderMerge {
 public:
  /// `labels`: of all vertices, on each locale.
  static BorderMerge create(const Graph& graph, Replica<VertexId> labels);
  void destroy();

  /// By any core of the locale, for a vertex of another.
  void touch(VertexId v) const {
    if (!test_bit_shared(border_.data(), v)) claim_bit(border_.data(), v);
  }
  /// All ends of edges that are of other locales: where it is not known any more which were linked.
  /// A directed graph must have in-edges.
  void touch_all() const;

  /// Tells all since the first merge again: the labels may join more of the border by now. `usual`:
  /// a label that most vertices have already, or kNoVertex.
  void merge(VertexId usual) const;

 private:
  struct Local;

  Exchange exchange_;
  Replica<std::uint64_t> border_;  // a bitmap
  LocaleState<Local> locals_;
};

}  // namespace grappa::graph
