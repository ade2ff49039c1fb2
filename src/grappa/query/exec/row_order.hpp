#pragma once

// The order of rows by some of their columns.
//
//   const RowOrder order(layout, {{.column = 2, .descending = true}});
//   std::vector<SortEntry> entries;
//   for (std::byte* const row : rows) entries.push_back(order.entry(row));
//   std::sort(entries.begin(), entries.end(), order);

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "grappa/parallel/cancellation.hpp"
#include "grappa/query/exec/row_layout.hpp"
#include "grappa/query/vector.hpp"

namespace grappa::query {

struct SortKey {
  std::size_t column;  // of the rows
  bool descending = false;
  bool nulls_first = false;
};

/// < 0, 0, > 0 by the keys.
int compare_rows(const RowLayout& layout, const std::vector<SortKey>& keys, const std::byte* a,
                 const std::byte* b);

/// A row with the first bits of its first key, by which most comparisons are decided.
struct SortEntry {
  std::uint64_t prefix;
  std::byte* row;
};

class RowOrder {
 public:
  RowOrder(const RowLayout& layout, const std::vector<SortKey>& keys)
      : layout_(layout), keys_(keys), cancel_(grappa::internal::cancel_flag()) {}

  SortEntry entry(std::byte* row) const;
  /// The first bits of each key of a row.
  std::vector<std::uint64_t> prefixes(const std::byte* row) const;
  /// Those of the selected rows that may come before one with these; `columns` are the keys.
  std::size_t select_before(const std::vector<std::uint64_t>& prefixes,
                            const std::vector<const Vector*>& columns, const Batch& batch,
                            Position* selected) const;
  /// Cancelled, as a sort has no other moment to end at.
  bool operator()(const SortEntry& a, const SortEntry& b) const {
    if (cancel_.load(std::memory_order_relaxed)) [[unlikely]]
      throw Cancelled();
    if (a.prefix != b.prefix) return a.prefix < b.prefix;
    return compare_rows(layout_, keys_, a.row, b.row) < 0;
  }

 private:
  std::uint64_t prefix(const SortKey& key, const std::byte* row) const;

  const RowLayout& layout_;
  const std::vector<SortKey>& keys_;
  const std::atomic<bool>& cancel_;
};

}  // namespace grappa::query
