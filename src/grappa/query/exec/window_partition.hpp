#pragma once

// A partition as a window function sees it: its rows in order, which of them are equal, and which
// are in the frame of each.
//
//   const WindowPartition partition(layout, rows, function);
//   const auto [begin, end] = partition.frame(row);

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "grappa/query/exec/row_layout.hpp"
#include "grappa/query/exec/sort.hpp"
#include "grappa/query/plan/relation.hpp"

namespace grappa::query {

/// A window function with the columns of the rows that it reads and writes.
struct BoundWindow {
  const WindowItem* item;
  std::vector<std::size_t> arguments{};
  std::vector<SortKey> partition{};
  std::vector<SortKey> order{};
  std::optional<std::size_t> begin_offset{};
  std::optional<std::size_t> end_offset{};
  std::optional<std::size_t> filter{};
  std::size_t result = 0;
};

class WindowPartition {
 public:
  /// `rows` are in the order of the function.
  WindowPartition(const RowLayout& layout, std::span<std::byte* const> rows,
                  const BoundWindow& function);

  std::size_t size() const { return rows_.size(); }
  /// [first, second) of the rows that are equal to row i in the order.
  std::size_t peer_begin(std::size_t i) const { return peer_begin_[i]; }
  std::size_t peer_end(std::size_t i) const { return peer_end_[i]; }
  /// [first, second) of the rows in the frame of row i. Cancelled.
  std::pair<std::size_t, std::size_t> frame(std::size_t i) const;

 private:
  bool are_peers(std::size_t a, std::size_t b) const;
  std::int64_t offset_of(std::size_t column, std::size_t i) const;
  std::size_t bound(const FrameEnd& end, std::optional<std::size_t> offset, std::size_t i,
                    bool is_begin) const;
  std::size_t groups_bound(const FrameEnd& end, std::optional<std::size_t> offset, std::size_t i,
                           bool is_begin) const;
  std::size_t range_bound(const FrameEnd& end, std::optional<std::size_t> offset, std::size_t i,
                          bool is_begin) const;
  double value_of(std::size_t column, std::size_t i) const;

  const RowLayout& layout_;
  std::span<std::byte* const> rows_;
  const BoundWindow& function_;
  std::vector<std::size_t> peer_begin_;
  std::vector<std::size_t> peer_end_;
};

}  // namespace grappa::query
