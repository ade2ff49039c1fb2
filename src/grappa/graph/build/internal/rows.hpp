#pragma once

// Sorts edges into compressed sparse rows, in the memory of one locale: the heart of the builder.
//
//   RowSorter::Request request{.edges = {list.edges}, .last = n, .vertices = n};
//   auto sorter = RowSorter::create(request, 8, parallel);
//   sorter->sort(offsets);               // now the edges are not needed any more
//   targets.resize(sorter->arc_count());
//   sorter->write(offsets, targets, weights);
//
// Memory comes and goes piece by piece: items take the place of edges, which are released, and then
// rows take the place of items. An item takes 4 bytes without weights if the bits of a neighbor and
// of a row in its bucket fit (up to some 4 million vertices), else 8; 16 with wide weights or,
// where vertices have 64 bits, with any.
//
// Two levels, so that all but streaming access stays in a core's cache: first the arcs are
// partitioned by ranges of rows into buckets of some 10,000 arcs, collecting a cache line for each
// bucket before it is written (N. Satish et al., "Fast sort on CPUs and GPUs", SIGMOD 2010); then
// each bucket is radix-sorted by row and neighbor. No atomics, and every step is parallel over
// parts of the edges or over buckets. A weight of a byte beside vertices of 32 bits is the
// lowest part of what is sorted, so it costs no memory; others stand beside it.
//
// Deterministic: the rows do not depend on the parts; equal arcs are in ascending order of their
// weights. Thread safety: one thread calls; the work runs wherever the ParallelFor runs it.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "grappa/graph/io/edge_list.hpp"
#include "grappa/graph/io/internal/io_names.hpp"
#include "grappa/graph/structure/graph.hpp"
#include "grappa/graph/structure/weights.hpp"
#include "grappa/io/parallel_for.hpp"

namespace grappa::graph {

class RowSorter {
 public:
  enum class Direction : std::uint8_t {
    kForward,  // an edge is an arc of its source
    kReverse,  // of its target
    kBoth      // of both; a self-loop once
  };

  struct Request {
    std::vector<std::span<const Edge>> edges = {};
    std::vector<std::span<const double>> weights = {};  // as edges, unless weight_type is kNone
    WeightType weight_type = WeightType::kNone;
    Direction direction = Direction::kForward;
    std::int64_t first = 0;  // rows [first, last); all arcs lie in them
    std::int64_t last = 0;
    std::int64_t vertices = 0;  // neighbors are below
    bool simplify = false;  // drops self-loops, and of duplicates all but one of the least weight
    /// The memory of edges and weights is given back as they are partitioned: they are zeros then.
    bool release = false;
  };

  /// The most memory that it takes for an arc, besides the edges and the rows.
  static constexpr std::uint64_t bytes_per_arc(WeightType type) {
    const bool fits = type == WeightType::kNone || (type == WeightType::kByte && kVertexBits == 32);
    return fits ? 8 : 16;
  }

  /// Partitions the arcs. `parts`: how many pieces of work to make, a few a core.
  static std::unique_ptr<RowSorter> create(const Request& request, std::int64_t parts,
                                           const ParallelFor& parallel);
  virtual ~RowSorter() = default;

  /// Sorts; offsets[i] becomes the place of row first+i in its bucket. [last - first + 1]
  virtual void sort(std::span<std::uint64_t> offsets) = 0;

  /// After sort():
  std::int64_t arc_count() const { return arcs_; }
  std::int64_t self_loops() const { return self_loops_; }

  /// Call it once: it returns memory as it writes. Makes `offsets` absolute and fills in the
  /// neighbors [arc_count()] and their weights [arc_count() * weight_bytes()].
  virtual void write(std::span<std::uint64_t> offsets, std::span<VertexId> targets,
                     std::span<std::byte> weights) = 0;

 protected:
  std::int64_t arcs_ = 0;
  std::int64_t self_loops_ = 0;
};

}  // namespace grappa::graph
