#include "grappa/graph/io/internal/formats/edge_reader.hpp"
#include "grappa/graph/exec/tuning.hpp"

#include <variant>

namespace grappa::graph::io {
namespace {

EdgeArrays<WideEdge> widen(EdgeArrays<Edge> narrow, const ParallelFor& parallel) {
  EdgeArrays<WideEdge> wide;
  wide.has_weights = narrow.has_weights;
  wide.weights = std::move(narrow.weights);
  wide.edges.resize(narrow.edges.size());
  for_ranges(parallel, static_cast<std::int64_t>(narrow.edges.size()), tuning::kEdgeGrain,
             [&](std::int64_t begin, std::int64_t end) {
               for (std::int64_t i = begin; i < end; ++i) {
                 const Edge edge = narrow.edges[static_cast<std::size_t>(i)];
                 wide.edges[static_cast<std::size_t>(i)] = {
                     static_cast<std::uint64_t>(edge.source),
                     static_cast<std::uint64_t>(edge.target)};
               }
             });
  return wide;
}

}  // namespace

void read_raw_edges(LineReader& reader, const EdgeLineRules& rules, const ReadOptions& options,
                    const ParallelFor& parallel, EdgeList& list) {
  std::variant<EdgeArrays<Edge>, EdgeArrays<WideEdge>> arrays;
  std::string_view block;
  while (reader.next_block(block)) {
    BlockResult bad;
    if (auto* narrow = std::get_if<EdgeArrays<Edge>>(&arrays)) {
      bad = parse_edge_block(block, reader.fraction(), rules, NarrowName{}, options, *narrow,
                             parallel);
      if (bad.reason == StopReason::kWideId) arrays = widen(std::move(*narrow), parallel);
    }
    if (auto* wide = std::get_if<EdgeArrays<WideEdge>>(&arrays)) {
      bad = parse_edge_block(block, reader.fraction(), rules, WideName{}, options, *wide, parallel);
    }
    if (bad.stop != nullptr) fail_at_line(reader, block, bad.stop, rules, WideName{});
    report_progress(reader, options);
  }
  if (auto* narrow = std::get_if<EdgeArrays<Edge>>(&arrays)) {
    list.weights = std::move(narrow->weights);
    compact_ids(std::move(narrow->edges), list, reader.file(), parallel);
  } else if (auto* wide = std::get_if<EdgeArrays<WideEdge>>(&arrays)) {
    list.weights = std::move(wide->weights);
    compact_ids(wide->edges, list, reader.file(), parallel);
  }
}

}  // namespace grappa::graph::io
