#pragma once

// The input of the Graph500 benchmark: its edge list.
//
//   const Graph500Input input(20, 16, seed);
//   graph::EdgeParts list = input.make_list(true);                     // every locale has a part
//   input.visit(true, [=](std::span<const graph::Edge> edges,
//                         std::span<const double> weights) { … });
//
// Edges of the Kronecker generator of the specification (version 2.0, section 3), with permuted
// vertices. Edge i, and its weight, is a function of the seed and of i alone: the list has no order
// to make use of, every locale makes its part by itself, and a part that is needed once more is
// made once more instead of being kept. Weights are uniform in [0, 1) with the 24 bits of single
// precision, and stand in the list in units of 2^-24: as whole numbers, which their sums are, too.
//
// The object is a handle: trivially copyable.

#include <algorithm>
#include <cstdint>
#include <span>

#include "grappa/graph/build/internal/edge_parts.hpp"
#include "grappa/graph/generate/generator.hpp"
#include "grappa/graph/generate/internal/counter_random.hpp"
#include "grappa/grappa.hpp"
#include "grappa/io/uninitialized_vector.hpp"

namespace grappa::bench {

class Graph500Input {
 public:
  Graph500Input(int scale, std::int64_t edge_factor, std::uint64_t seed);

  std::int64_t edge_count() const { return spec_.edge_count(); }

  /// Edges first, first + 1, …; and their weights, unless there is no room for them.
  void fill(std::int64_t first, std::span<graph::Edge> edges, std::span<double> weights) const;

  /// Called by one task; switches tasks. Kernel 1 is not told the number of vertices: the list has
  /// none.
  graph::EdgeParts make_list(bool weighted) const;

  /// body(edges, weights) for the whole list, in pieces, on any core of any locale; no weights
  /// unless `weighted`. Called by one task; switches tasks.
  template <class F>
  void visit(bool weighted, F body) const {
    forall_range(0, edge_count(), {.grain = kPiece},
                 [input = *this, weighted, body](std::int64_t first, std::int64_t last) {
                   const auto count = static_cast<std::size_t>(last - first);
                   graph::UninitializedVector<graph::Edge> edges(count);
                   graph::UninitializedVector<double> weights(weighted ? count : 0);
                   input.fill(first, edges, weights);
                   body(std::span<const graph::Edge>(edges), std::span<const double>(weights));
                 });
  }

 private:
  // Edges made at a time: the generator prepares a table for each piece.
  static constexpr std::int64_t kPiece = 1 << 15;

  graph::GeneratorSpec spec_;
  std::uint64_t seed_;
  graph::generate_detail::CounterRandom weight_bits_;
};

}  // namespace grappa::bench
