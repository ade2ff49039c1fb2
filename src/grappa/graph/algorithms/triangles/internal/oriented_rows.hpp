#pragma once

// Each edge of the simple undirected graph that underlies a graph, once, in the row of the end with
// the greater rank: triangles are counted on these rows.
//
//   const Owned rank = rank_by_degree(graph);
//   const Owned rows = OrientedRows::create(graph, *rank, 1 << 24);
//   for (const RankRange& range : rows->blocks()) {
//     rows->gather(range);                                 // these rows of all locales, on each
//     on_each_locale([rows = *rows, range] {
//       const RowBlock block = rows.block();
//       use(block.row(static_cast<VertexId>(range.first)));     // ranks below range.first
//     });
//   }
//
// Rows hold ranks instead of vertices, in no order, without duplicates. With ranks by degree no row
// is much longer than the square root of twice the number of edges. A locale has the rows of its
// own vertices; the others' come in blocks, so that a graph of any size needs no more room for them
// than a block. On one locale a block is a view of its rows, whatever the range.
//
// The object is a handle: trivially copyable. create, gather and destroy are called by one task and
// switch tasks; the rest concerns the calling locale.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "grappa/container/replica.hpp"
#include "grappa/graph/structure/graph.hpp"
#include "grappa/parallel/exchange.hpp"
#include "grappa/parallel/locale_state.hpp"

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
  /// With blocks of about `block_edges` each. `rank` is needed as long as the rows are. Directed
  /// graphs must have in-edges; their rows tell the edges that go both ways.
  static OrientedRows create(const Graph& graph, Replica<VertexId> rank, std::int64_t block_edges);
  void destroy();

  /// Of all vertices.
  const VertexId* rank() const { return rank_.data(); }
  RowPlace place_of(std::int64_t vertex) const {
    return places_.data()[vertex - graph_.locale_begin()];
  }
  /// The rows of this locale's vertices, by place_of().
  const VertexId* targets() const { return targets_.data(); }
  const std::uint8_t* both() const { return graph_.is_directed() ? both_.data() : nullptr; }

  /// The ranks of each block, a single one on one locale. On the locale that made the rows.
  std::span<const RankRange> blocks() const { return blocks_.span(); }
  void gather(const RankRange& ranks) const;
  RowBlock block() const { return locals_->block; }

 private:
  struct Local {
    RowBlock block = {};
    std::size_t packed = 0;  // how many words of the block this locale's rows took
  };

  void make(std::int64_t block_edges);
  void fill() const;
  std::vector<RankRange> make_blocks(std::int64_t edges);
  std::size_t pack(const RankRange& ranks) const;
  void unpack(const RankRange& ranks, std::size_t end) const;

  Graph graph_;
  Replica<VertexId> rank_;    // [vertices]
  Replica<RowPlace> places_;  // [vertices of the locale]
  Replica<VertexId> targets_;
  Replica<std::uint8_t> both_;  // of a directed graph
  Replica<RowPlace> by_rank_;   // one locale: [vertices]; several: [ranks of a block]
  Replica<RankRange> blocks_;
  LocaleState<Local> locals_;
  // Several locales: the rows of a block, packed; in huge pages, as they are read at random.
  Replica<VertexId> words_;
  Replica<std::uint8_t> both_of_block_;  // beside the targets in `words`
  std::optional<Exchange> exchange_;
};

}  // namespace grappa::graph
