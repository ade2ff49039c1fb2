#pragma once

// Merges the forests of labels (label_forest.hpp) of several locales, each of which has all
// vertices and the edges of one locale. Used by connected_components.cpp.
//
//   const Owned<ForestMerge> forests = ForestMerge::create(graph, labels);
//   …                     // every vertex is a root; each locale links, in its copy of the labels
//   forests->merge_all();
//   …                     // each locale links, and notes what link() returns
//   forests->note(hooked);
//   forests->merge_noted();
//
// What a locale has joined can be expressed as edges that join the same trees for others: each
// vertex that is not a root, with its label. These are disseminated. At first there are many, most
// with the same label, and those travel as a bitmap; later there are few, and they are noted.
//
// Afterwards root_of() is the same on all locales, and a locale's own vertices have their roots as
// labels. Called by one task, except for note(), which each core calls; the others switch tasks.

#include <cstdint>

#include "grappa/container/replica.hpp"
#include "grappa/graph/structure/graph.hpp"
#include "grappa/parallel/exchange.hpp"
#include "grappa/parallel/locale_state.hpp"
#include "grappa/parallel/owned.hpp"

namespace grappa::graph {

class ForestMerge {
 public:
  /// `labels`: of all vertices, on each locale.
  static ForestMerge create(const Graph& graph, Replica<VertexId> labels);
  void destroy();

  void note(VertexId hooked) const;
  void merge_noted() const;
  /// Merges forests in which at first every vertex was a root.
  void merge_all() const;

 private:
  struct Local;
  using Locals = LocaleState<Local>;
  struct CompressAll;
  struct FindJoins;
  struct LinkUsual;
  struct LinkUnusual;

  void compress_own() const;

  Exchange exchange_;
  Replica<std::uint64_t> bitmaps_;
  Locals locals_;
};

}  // namespace grappa::graph
