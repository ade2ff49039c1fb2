#pragma once

// Each edge of the simple undirected graph that underlies a graph, once, in the row of the end with
// the greater rank: triangles are counted on these rows.
//
//   OrientedRows rows = OrientedRows::create(graph, rank_by_degree(graph));
//   for (const RankRange& range : rows.blocks(1 << 24)) {
//     rows.gather(range);                                  // these rows of all locales, on each
//     on_each_locale([=] {
//       const RowBlock block = rows.block();
//       use(block.row(static_cast<VertexId>(range.first)));     // ranks below range.first
//     });
//   }
//   rows.destroy();
//
// Rows hold ranks instead of vertices, in no order, without duplicates. With ranks by degree no row
// is much longer than the square root of twice the number of edges. A locale has the rows of its
// own vertices; the others' come in blocks, so that a graph of any size needs no more room for them
// than a block. On one locale a block is a view of its rows, whatever the range.
//
// The object is a handle: trivially copyable. create, blocks, gather and destroy are called by one
// task and switch tasks; the rest concerns the calling locale.

#include <cstdint>
#include <span>
#include <vector>

#include "grappa/container/replica.hpp"
#include "grappa/graph/graph.hpp"
#include "grappa/parallel/exchange.hpp"

namespace grappa::graph {

/// Where a row lies. Limits: 2^40 edges on a locale, 2^24 in a row.
struct RowPlace {
  std::uint64_t begin : 40;
  std::uint64_t length : 24;
};

struct RankRange {
  std::int64_t first;
  std::int64_t last;  // past the end
};

/// Rows as one locale sees them.
struct RowBlock {
  RankRange ranks;
  const RowPlace* places;  // by rank, shifted: the index is the rank
  const VertexId* targets;
  const std::uint8_t* both;  // beside targets: whether the edge goes both ways; or null

  std::span<const VertexId> row(VertexId rank) const {
    return {targets + places[rank].begin, places[rank].length};
  }
  void prefetch_place(VertexId rank) const { __builtin_prefetch(places + rank); }
  void prefetch_row(VertexId rank) const { __builtin_prefetch(targets + places[rank].begin); }
};

class OrientedRows {
 public:
  /// Owns `rank` from now on. Directed graphs must have in-edges; their rows tell the edges that go
  /// both ways.
  static OrientedRows create(const Graph& graph, Replica<VertexId> rank);
  void destroy();

  Replica<VertexId> rank() const { return rank_; }
  RowPlace place_of(std::int64_t vertex) const {
    return places_.data()[vertex - graph_.locale_begin()];
  }
  /// The rows of this locale's vertices, by place_of().
  const VertexId* targets() const { return targets_.data(); }
  const std::uint8_t* both() const { return graph_.is_directed() ? both_.data() : nullptr; }

  /// Ranges of ranks with about `edges` each, or a single one on one locale; makes room for them.
  /// To be called once, before the handle is copied.
  std::vector<RankRange> blocks(std::int64_t edges);
  void gather(const RankRange& ranks) const;
  RowBlock block() const { return *block_.data(); }

 private:
  void fill() const;
  std::size_t pack(const RankRange& ranks) const;
  void unpack(const RankRange& ranks, std::size_t end) const;

  Graph graph_;
  Replica<VertexId> rank_;    // [vertices]
  Replica<RowPlace> places_;  // [vertices of the locale]
  Replica<VertexId> targets_;
  Replica<std::uint8_t> both_;  // of a directed graph
  Replica<RowPlace> by_rank_;   // one locale: [vertices]; several: [ranks of a block]
  Replica<RowBlock> block_;     // [1]
  // Several locales: the rows of a block, packed; in huge pages, as they are read at random.
  Replica<VertexId> words_;
  Replica<std::uint8_t> both_of_block_;  // beside the targets in `words`
  Replica<std::size_t> packed_;          // [1]: how many words this locale's rows took
  Exchange exchange_;
};

}  // namespace grappa::graph
