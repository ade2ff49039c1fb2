#pragma once

// The checks of the rows of a .grappa file (stored_file.hpp), for those who have some in memory.
//
//   check_offsets(offsets, first, header, file);             // then
//   const RowCheck check(header, weights, RowsOf::kOut, file);
//   facts.add(check.arcs(first, offsets, targets, weights, begin, end, previous));   // piece by
//   piece check_sums(out_facts, …)
//
// What is checked: rows are in order and fill the section, neighbors are vertices, ascend, are
// distinct where the header says so, weights lie in the range that it names, and both arcs of an
// edge are there, with the same weight: of every arc to a larger vertex a hash is added to a sum,
// and of every arc to a smaller one subtracted, of the in-edges of a directed graph from that of
// the out-edges. The sum is then 0; of a damaged file it is but with a chance of 2^-64. One pass
// over the arcs, a few operations each. Errors: InputError, that of the first row that is wrong.
// Without any runtime; may be called from any number of threads.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "grappa/graph/io/stored_file.hpp"

namespace grappa::graph::io {

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

class RowCheck {
 public:
  /// `weights`: the type of those that are read, if any.
  RowCheck(const StoredHeader& header, WeightType weights, RowsOf rows, const std::string& file)
      : header_(header), weight_type_(weights), rows_(rows), file_(file) {}

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
  template <bool kDirected>
  std::uint64_t surplus_of(std::uint64_t row, std::uint64_t target, std::uint64_t weight) const;
  template <class Id>
  [[noreturn]] void refuse_row(std::int64_t vertex, std::span<const Id> row) const;

  const StoredHeader& header_;
  const WeightType weight_type_;
  const RowsOf rows_;
  const std::string& file_;
};

}  // namespace grappa::graph::io
