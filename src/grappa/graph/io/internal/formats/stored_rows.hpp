#pragma once

// The checks of the rows of a .grappa file (stored_file.hpp), for those who have some in memory.
//
//   check_offsets(offsets, first, header, file);
//   const RowCheck check(header, WeightType::kNone, RowsOf::kOut, file);
//   RowFacts facts;
//   facts.add(check.arcs(first, offsets, targets, nullptr, begin, end, previous));   // each piece
//
// What is checked: rows are in order and fill the section; neighbors are vertices, ascend, and are
// distinct if the header says so; weights lie in the range that it names; and both arcs of an edge
// are there, with the same weight. For the last, the hash of every arc to a larger vertex is added
// to a sum, and that of every arc to a smaller one subtracted; for a directed graph, the sum over
// in-edges is subtracted from that over out-edges. The result is 0; for a damaged file it is 0 only
// with a chance of 2^-64. The sum of the rows by source alone, to which self-loops are added where
// the file has sums, is what these say. One pass over the arcs, a few operations each. Errors:
// InputError for the first row that is wrong. Usable outside a run, from any number of threads.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "grappa/graph/io/internal/formats/stored_file.hpp"

namespace grappa::graph::io {

struct Adjacency;

/// Sums over arcs.
struct RowFacts {
  std::uint64_t surplus = 0;  // of hashes: it may wrap
  std::uint64_t self_loops = 0;

  void add(const RowFacts& other) {
    surplus += other.surplus;
    self_loops += other.self_loops;
  }
};

/// The rows of vertices first, first + 1, … [rows + 1]; as they stand in the file.
void check_offsets(std::span<const std::uint64_t> offsets, std::int64_t first,
                   const StoredHeader& header, const std::string& file);

enum class RowsOf : std::uint8_t { kOut, kIn };

/// The sums of arcs for the rows by source, which are in memory; `names` stays 0.
StoredSums sums_of_rows(const Adjacency& rows, const StoredHeader& header,
                        const ParallelFor& parallel);

class RowCheck {
 public:
  /// `weights`: the type of those that are read, if any.
  RowCheck(const StoredHeader& header, WeightType weights, RowsOf rows, const std::string& file)
      : header_(header),
        weight_type_(weights),
        rows_(rows),
        file_(file),
        of_loops_(header.has_sums() ? ~std::uint64_t{0} : 0) {}

  /// Arcs [begin, end) of some rows, the first being that of vertex `first`. An arc stands at that
  /// index in `targets` and `weights`, and has it in `offsets`. `previous` is the target before
  /// `begin`; it is looked at only if that is in the same row. Id: that of visit_stored_ids().
  template <class Id>
  RowFacts arcs(std::int64_t first, std::span<const std::uint64_t> offsets, const Id* targets,
                const std::byte* weights, std::uint64_t begin, std::uint64_t end,
                Id previous) const;

 private:
  template <class Id, class W>
  RowFacts arcs_with(std::int64_t first, std::span<const std::uint64_t> offsets, const Id* targets,
                     const W* weights, std::uint64_t begin, std::uint64_t end, Id previous) const;
  friend StoredSums sums_of_rows(const Adjacency& rows, const StoredHeader& header,
                                 const ParallelFor& parallel);

  template <bool kDirected>
  std::uint64_t surplus_of(std::uint64_t row, std::uint64_t target, std::uint64_t weight) const;
  template <class Id>
  [[noreturn]] void refuse_row(std::int64_t vertex, std::span<const Id> row) const;

  const StoredHeader& header_;
  const WeightType weight_type_;
  const RowsOf rows_;
  const std::string& file_;
  const std::uint64_t of_loops_;  // the bits of their hashes that count in an undirected graph
};

}  // namespace grappa::graph::io
