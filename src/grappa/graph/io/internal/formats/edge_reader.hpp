#pragma once

// All the edge lines that are left in a text, for formats whose lines follow EdgeLineRules.
//
//   list.edges = read_edges(reader, rules, OneBased{9}, options, parallel, list.weights);
//   read_raw_edges(reader, rules, options, parallel, list);       // any ids, renumbered
//
// Errors: InputError for the first line in the text that is not an edge.

#include <cstdint>
#include <utility>

#include "grappa/graph/io/internal/formats/edge_block.hpp"
#include "grappa/graph/io/internal/formats/edge_lines.hpp"
#include "grappa/graph/io/internal/formats/readers.hpp"
#include "grappa/graph/io/internal/io_names.hpp"
#include "grappa/graph/io/internal/names/compact_ids.hpp"
#include "grappa/io/text/text_line.hpp"

namespace grappa::graph::io {

inline void report_progress(const LineReader& reader, const ReadOptions& options) {
  if (options.progress) options.progress(reader.fraction());
}

/// One block, by the loop that the rules need.
template <class Names, class EdgeT>
BlockResult parse_edge_block(std::string_view block, double fraction, const EdgeLineRules& rules,
                             const Names& names, const ReadOptions& options,
                             EdgeArrays<EdgeT>& arrays, const ParallelFor& parallel) {
  arrays.has_weights = rules.weighted;
  const bool separated = rules.separator != ' ';
  return parse_block(
      block, options.chunk_bytes, fraction, arrays, parallel,
      [&](std::size_t, std::string_view chunk, EdgeT* edges, double* weights) {
        if (separated) {
          return rules.weighted
                     ? parse_edge_lines<true, true>(chunk, rules, names, edges, weights)
                     : parse_edge_lines<false, true>(chunk, rules, names, edges, weights);
        }
        return rules.weighted ? parse_edge_lines<true, false>(chunk, rules, names, edges, weights)
                              : parse_edge_lines<false, false>(chunk, rules, names, edges, weights);
      });
}

template <class Names>
[[noreturn]] void fail_at_line(const LineReader& reader, std::string_view block, const char* stop,
                               const EdgeLineRules& rules, const Names& names) {
  const std::string_view line = line_from(stop, block.data() + block.size());
  reader.fail_at(stop, describe_bad_line(line, rules, names));
}

/// The rest of the text; ids are what `names` makes of the numbers.
template <class Names>
UninitializedVector<Edge> read_edges(LineReader& reader, const EdgeLineRules& rules,
                                     const Names& names, const ReadOptions& options,
                                     const ParallelFor& parallel,
                                     UninitializedVector<double>& weights) {
  EdgeArrays<Edge> arrays;
  std::string_view block;
  while (reader.next_block(block)) {
    const BlockResult bad =
        parse_edge_block(block, reader.fraction(), rules, names, options, arrays, parallel);
    if (bad.stop != nullptr) fail_at_line(reader, block, bad.stop, rules, names);
    report_progress(reader, options);
  }
  weights = std::move(arrays.weights);
  return std::move(arrays.edges);
}

/// The rest of the text; the vertices are the numbers that occur. Sets edges, weights, names and
/// vertex_count. Numbers are kept as VertexId until one does not fit.
void read_raw_edges(LineReader& reader, const EdgeLineRules& rules, const ReadOptions& options,
                    const ParallelFor& parallel, EdgeList& list);

}  // namespace grappa::graph::io
