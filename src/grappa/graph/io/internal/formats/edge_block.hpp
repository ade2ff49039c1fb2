#pragma once

// Blocks of edge lines, parsed in parallel straight into their final places.
//
//   EdgeArrays<Edge> arrays;
//   BlockResult bad = parse_block(block, 1 << 20, reader.fraction(), arrays, parallel, parse);
//   if (bad.stop != nullptr) reader.fail_at(bad.stop, "not an edge");
//
// The lines of all chunks are counted first, so each chunk knows where its edges go; the gaps that
// blank and comment lines leave are closed afterwards.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>
#include <string_view>
#include <vector>

#include "grappa/graph/io/internal/formats/edge_lines.hpp"
#include "grappa/graph/io/internal/io_names.hpp"
#include "grappa/io/parallel_for.hpp"
#include "grappa/io/text/line_reader.hpp"
#include "grappa/io/uninitialized_vector.hpp"

namespace grappa::graph::io {

template <class EdgeT>
struct EdgeArrays {
  UninitializedVector<EdgeT> edges;
  UninitializedVector<double> weights;  // as many as edges, if has_weights
  bool has_weights = false;
};

/// Where the first chunk that stopped did so.
struct BlockResult {
  const char* stop = nullptr;
  StopReason reason = StopReason::kNone;
};

/// Reserves room for `more` elements and, judging by the `fraction` of the text that has been read,
/// for those that will follow: unused address space costs nothing, moving a large array does.
template <class T>
void reserve_ahead(UninitializedVector<T>& elements, std::size_t more, double fraction) {
  const std::size_t needed = elements.size() + more;
  if (needed <= elements.capacity()) return;
  if (fraction > 1e-3 && fraction < 1) {
    try {
      elements.reserve(static_cast<std::size_t>(static_cast<double>(needed) / fraction * 1.02));
      return;
    } catch (const std::bad_alloc&) {
      // The guess was more than there is; what is needed may still fit.
      elements.reserve(needed);
      return;
    }
  }
  elements.reserve(fraction < 1 ? std::max(needed, elements.capacity() * 2) : needed);
}

namespace detail {

// Moves each chunk's elements down to where the previous chunk's end.
template <class T>
void close_gaps(UninitializedVector<T>& elements, std::size_t base,
                const std::vector<std::int64_t>& slots, const std::vector<ChunkResult>& results) {
  std::size_t to = base;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const std::size_t from = base + static_cast<std::size_t>(slots[i]);
    const auto count = static_cast<std::size_t>(results[i].edges);
    if (from != to && count != 0) {
      std::memmove(elements.data() + to, elements.data() + from, count * sizeof(T));
    }
    to += count;
  }
  elements.resize(to);
}

}  // namespace detail

/// parse(i, chunk, edges, weights) -> ChunkResult is called for each chunk i of `block`; its edges
/// are appended to `arrays`. Where a chunk stops, the first of them is returned, and `arrays` is as
/// it was before the call.
template <class EdgeT, class Parse>
BlockResult parse_block(std::string_view block, std::size_t chunk_bytes, double fraction,
                        EdgeArrays<EdgeT>& arrays, const ParallelFor& parallel,
                        const Parse& parse) {
  const std::vector<std::string_view> chunks = split_at_lines(block, chunk_bytes);
  const auto chunk_count = static_cast<std::int64_t>(chunks.size());
  std::vector<std::int64_t> slots(chunks.size() + 1, 0);  // [chunks + 1] first edge of each
  for_parts(parallel, chunk_count, [&](std::int64_t i) {
    const std::string_view chunk = chunks[static_cast<std::size_t>(i)];
    slots[static_cast<std::size_t>(i) + 1] =
        count_line_feeds(chunk) + (chunk.ends_with('\n') ? 0 : 1);
  });
  for (std::size_t i = 1; i < slots.size(); ++i) slots[i] += slots[i - 1];

  const std::size_t base = arrays.edges.size();
  const auto room = static_cast<std::size_t>(slots.back());
  reserve_ahead(arrays.edges, room, fraction);
  arrays.edges.resize(base + room);
  if (arrays.has_weights) {
    reserve_ahead(arrays.weights, room, fraction);
    arrays.weights.resize(base + room);
  }

  std::vector<ChunkResult> results(chunks.size());
  for_parts(parallel, chunk_count, [&](std::int64_t i) {
    const auto chunk = static_cast<std::size_t>(i);
    const std::size_t slot = base + static_cast<std::size_t>(slots[chunk]);
    double* weights = arrays.has_weights ? arrays.weights.data() + slot : nullptr;
    results[chunk] = parse(chunk, chunks[chunk], arrays.edges.data() + slot, weights);
  });

  const auto bad = std::find_if(results.begin(), results.end(),
                                [](const ChunkResult& result) { return result.stop != nullptr; });
  if (bad != results.end()) {
    arrays.edges.resize(base);
    if (arrays.has_weights) arrays.weights.resize(base);
    return {bad->stop, bad->reason};
  }
  detail::close_gaps(arrays.edges, base, slots, results);
  if (arrays.has_weights) detail::close_gaps(arrays.weights, base, slots, results);
  return {};
}

}  // namespace grappa::graph::io
