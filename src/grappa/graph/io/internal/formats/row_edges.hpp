#pragma once

// Edges made of rows, in parallel: those of each range of rows are counted first, so that it is
// known where they go.
//
//   const auto loops = [](int64_t first, int64_t last, const auto& use) {
//     for (int64_t v = first; v < last; ++v)
//       use(static_cast<VertexId>(v), static_cast<VertexId>(v), static_cast<size_t>(v));
//   };
//   const auto count = [](int64_t first, int64_t last) {
//     return static_cast<size_t>(last - first);
//   };
//   const auto weight_of = [](VertexId, size_t) { return 1.0; };
//   make_edges(n, true, list, parallel, count, loops, weight_of);
//
// The first function tells how many edges some rows have; then the second calls
// use(source, target, arc) for them; weight_of(source, arc) is asked where edges have weights.

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "grappa/graph/exec/tuning.hpp"
#include "grappa/graph/io/edge_list.hpp"
#include "grappa/graph/io/internal/io_names.hpp"
#include "grappa/io/parallel_for.hpp"

namespace grappa::graph::io {

template <class CountEdges, class ForEdges, class WeightOf>
void make_edges(std::int64_t rows, bool weighted, EdgeList& list, const ParallelFor& parallel,
                const CountEdges& count_edges, const ForEdges& for_edges,
                const WeightOf& weight_of) {
  const auto range_of = [](std::int64_t row) {
    return static_cast<std::size_t>(row / tuning::kRowGrain);
  };
  std::vector<std::size_t> firsts(range_of(rows + tuning::kRowGrain - 1) + 1, 0);
  for_ranges(parallel, rows, tuning::kRowGrain, [&](std::int64_t first, std::int64_t last) {
    firsts[range_of(first) + 1] = count_edges(first, last);
  });
  std::partial_sum(firsts.begin(), firsts.end(), firsts.begin());
  list.edges.resize(firsts.back());
  if (weighted) list.weights.resize(firsts.back());
  for_ranges(parallel, rows, tuning::kRowGrain, [&](std::int64_t first, std::int64_t last) {
    std::size_t edge = firsts[range_of(first)];
    for_edges(first, last, [&](VertexId source, VertexId target, std::size_t arc) {
      list.edges[edge] = {source, target};
      if (weighted) list.weights[edge] = weight_of(source, arc);
      ++edge;
    });
  });
}

}  // namespace grappa::graph::io
