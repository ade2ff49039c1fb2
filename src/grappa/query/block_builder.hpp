#pragma once

// BlockBuilder: blocks of the rows of batches.
//
//   BlockBuilder builder({kInt64, kText});
//   const auto take = [](Block block) { use(block); };
//   for (const Batch& batch : batches) builder.append(batch, {0, 1}, take);
//   if (builder.rows() > 0) take(builder.finish());
//
// For one core.

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "grappa/query/column_builder.hpp"
#include "grappa/query/table.hpp"
#include "grappa/query/type.hpp"
#include "grappa/query/vector.hpp"

namespace grappa::query {

class BlockBuilder {
 public:
  explicit BlockBuilder(const std::vector<Type>& types) {
    for (const Type& type : types) builders_.emplace_back(type);
  }

  /// The columns of the batch at these places, one for each type; what they hold is copied.
  /// take(block) is called for each block that is full.
  template <class Take>
  void append(const Batch& batch, const std::vector<std::size_t>& places, const Take& take) {
    for (std::size_t done = 0; done < batch.count;) {
      const std::size_t end = std::min(batch.count, done + kBlockRows - rows_);
      for (std::size_t c = 0; c < places.size(); ++c)
        append_column(builders_[c], batch.columns[places[c]], batch, done, end);
      rows_ += end - done;
      done = end;
      if (rows_ == kBlockRows) take(finish());
    }
  }

  /// Of the block that is being built.
  std::size_t rows() const { return rows_; }
  /// What was appended; the next block begins.
  Block finish() {
    Block block;
    block.rows = std::exchange(rows_, 0);
    for (ColumnBuilder& of : builders_) block.columns.push_back(of.finish());
    return block;
  }

  /// Of all that was finished.
  const DistinctSketch& sketch(std::size_t column) const { return builders_[column].sketch(); }

 private:
  static void append_column(ColumnBuilder& builder, const Vector& column, const Batch& batch,
                            std::size_t begin, std::size_t end) {
    with_physical(builder.type().physical(), [&]<class T>() {
      for (std::size_t i = begin; i < end; ++i) {
        const std::size_t row = batch.position(i);
        if (column.is_valid(row))
          builder.append(column.at<T>(row));
        else
          builder.append_null();
      }
    });
  }

  std::vector<ColumnBuilder> builders_;
  std::size_t rows_ = 0;
};

}  // namespace grappa::query
