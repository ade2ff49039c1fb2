#pragma once

// Renumbering: edges between the numbers in a file become edges between 0 ... n-1, in the order of
// the numbers.
//
//   compact_ids(std::move(edges), list, "web.txt", parallel);   // sets edges, names, vertex_count
//
// Dense numbers are found with a bitmap (at most 8 bytes an edge); others are sorted. The vertices
// are the numbers that occur. Errors: InputError when there are more than kMaxVertices.

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

#include "grappa/graph/exec/tuning.hpp"
#include "grappa/graph/io/edge_list.hpp"
#include "grappa/graph/io/internal/formats/edge_lines.hpp"
#include "grappa/graph/io/internal/io_names.hpp"
#include "grappa/io/parallel_for.hpp"

namespace grappa::graph::io {

void compact_ids(UninitializedVector<Edge> edges, EdgeList& list, const std::string& file,
                 const ParallelFor& parallel);
void compact_ids(const UninitializedVector<WideEdge>& edges, EdgeList& list,
                 const std::string& file, const ParallelFor& parallel);

/// Makes place(end) of both ends of each edge; `to` has room for as many, and may be `from`.
template <class EdgeT, class Place>
void renumber_edges(const UninitializedVector<EdgeT>& from, UninitializedVector<Edge>& to,
                    const ParallelFor& parallel, const Place& place) {
  for_ranges(
      parallel, std::ssize(from), tuning::kEdgeGrain, [&](std::int64_t begin, std::int64_t end) {
        for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
          to[i] = {place(from[i].source), place(from[i].target)};
      });
}

/// Sorts, and removes duplicates.
void sort_unique(std::vector<std::uint64_t>& numbers);

/// Throws InputError if `vertices` are too many.
void check_vertex_count(std::uint64_t vertices, const std::string& file, std::int64_t line = 0);

}  // namespace grappa::graph::io
