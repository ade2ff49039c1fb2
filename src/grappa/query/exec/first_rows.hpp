#pragma once

// FirstRows: of the rows that come to a store, those that may be among the first ones in an order.
//
//   FirstRows first(order, 10);
//   first.filter(batch, keys);                 // leaves out what comes behind ten rows already
//   keep(batch, store);
//   if (first.is_due(store)) first.reduce(store, text_offsets);
//
// So a store of millions of rows, of which ten are wanted, stays in the processor's cache. For one
// core.

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "grappa/query/exec/row_order.hpp"
#include "grappa/query/vector.hpp"

namespace grappa::query {

class FirstRows {
 public:
  /// Any number, if it is so large that nothing is to be left out.
  FirstRows(const RowOrder& order, std::size_t most)
      : order_(order),
        most_(most),
        due_(most > 0 && most < kLargest ? 2 * most + kMore : SIZE_MAX) {}

  /// `keys`: their places in the batch.
  void filter(Batch& batch, const std::vector<std::size_t>& keys) {
    if (bound_.empty()) return;
    columns_.clear();
    for (const std::size_t key : keys) columns_.push_back(&batch.columns[key]);
    batch.count = order_.select_before(bound_, columns_, batch, selected_.data());
    batch.selection = selected_.data();
  }
  bool is_due(const RowStore& store) const { return store.rows() >= due_; }
  /// Only the first ones stay, in memory of their own.
  void reduce(RowStore& store, const std::vector<std::size_t>& text_offsets);

 private:
  static constexpr std::size_t kLargest = std::size_t{1} << 32;
  static constexpr std::size_t kMore = 2 * kBatchRows;

  const RowOrder& order_;
  std::size_t most_;
  std::size_t due_;
  std::vector<std::uint64_t> bound_;  // of the last of those that are kept, once there is one
  std::vector<const Vector*> columns_;
  std::array<Position, kBatchRows> selected_;
};

}  // namespace grappa::query
