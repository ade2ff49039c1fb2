#pragma once

// Sorts edges into compressed sparse rows, in the memory of one locale: the heart of the builder.
//
//   RowSorter sorter({.edges = {list.edges}, .last = n, .vertices = n}, 8, parallel);
//   sorter.sort(offsets);               // the edges are not needed any more
//   allocate(sorter.arc_count());
//   sorter.write(offsets, targets);
//
// Two levels, so that all but streaming access stays in a core's cache: first the arcs are
// partitioned by ranges of rows into buckets of some 10,000 arcs, collecting a cache line for each
// bucket before it is written (N. Satish et al., "Fast sort on CPUs and GPUs", SIGMOD 2010); then
// each bucket is radix-sorted by row and neighbour. No atomics, and every step is parallel over
// parts of the edges or over buckets.
//
// Deterministic: the rows do not depend on the parts. Thread safety: one thread calls; the work
// runs wherever the ParallelFor takes it.

#include <cstdint>
#include <span>
#include <vector>

#include "grappa/graph/graph.hpp"
#include "grappa/graph/io/edge_list.hpp"
#include "grappa/graph/io/parallel_for.hpp"

namespace grappa::graph {

class RowSorter {
 public:
  enum class Direction : std::uint8_t {
    kForward,  // an edge is an arc of its source
    kReverse,  // of its target
    kBoth      // of both; a self-loop once
  };

  struct Request {
    std::vector<std::span<const Edge>> edges;
    Direction direction = Direction::kForward;
    std::int64_t first = 0;  // rows [first, last); all arcs lie in them
    std::int64_t last = 0;
    std::int64_t vertices = 0;  // neighbours are below
    bool simplify = false;      // drops self-loops and duplicates
  };

  /// Memory that it takes, besides the edges and the rows.
  static constexpr std::uint64_t kBytesPerArc = 8;

  /// Partitions the arcs. `parts`: how many pieces of work to make, a few a core.
  RowSorter(const Request& request, std::int64_t parts, ParallelFor parallel);

  /// Sorts; offsets[i] becomes the place of row first+i in its bucket. [last - first + 1]
  void sort(std::span<std::uint64_t> offsets);

  // After sort():
  std::int64_t arc_count() const { return arcs_; }
  std::int64_t self_loops() const { return self_loops_; }

  /// Makes `offsets` absolute and fills in the neighbours. [arc_count()]
  void write(std::span<std::uint64_t> offsets, std::span<VertexId> targets);

 private:
  // Row above neighbour, so that they order as integers.
  using Key = std::uint64_t;
  static_assert(sizeof(Key) == kBytesPerArc);
  struct Bucket {
    std::uint64_t begin = 0;  // in keys_
    std::uint64_t end = 0;
    std::uint64_t arcs = 0;  // that are left after sorting; they lie at `begin` as 32-bit numbers
    std::uint64_t self_loops = 0;
    std::uint64_t base = 0;  // in the result
  };

  void choose_buckets(std::uint64_t edges);
  void partition(const Request& request);
  void sort_bucket(std::size_t index, std::span<Key> scratch, std::span<std::uint64_t> offsets);
  std::int64_t bucket_count() const { return static_cast<std::int64_t>(buckets_.size()); }
  std::int64_t first_row(std::size_t bucket) const {
    return std::min(rows_, static_cast<std::int64_t>(bucket) << shift_);
  }
  std::byte* targets_of(const Bucket& bucket) {
    return reinterpret_cast<std::byte*>(keys_.data() + bucket.begin);
  }

  const std::int64_t first_;
  const std::int64_t rows_;
  const std::int64_t vertices_;
  const std::int64_t parts_;
  const bool simplify_;
  const ParallelFor parallel_;
  int shift_ = 0;  // log2 of the rows of a bucket
  std::vector<Bucket> buckets_;
  UninitializedVector<Key> keys_;
  std::int64_t arcs_ = 0;
  std::int64_t self_loops_ = 0;
};

}  // namespace grappa::graph
