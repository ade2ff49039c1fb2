#pragma once

// Rows that are kept, as batches again. For one core.
//
//   RowReader reader(layout);
//   reader.push(rows, count, true, next);             // up to kBatchRows of them

#include <cstddef>
#include <vector>

#include "grappa/query/exec/pipeline.hpp"
#include "grappa/query/exec/row_layout.hpp"

namespace grappa::query {

class RowReader {
 public:
  explicit RowReader(const RowLayout& layout) : layout_(layout) {
    for (std::size_t i = 0; i < layout.columns(); ++i) buffers_.emplace_back(layout.column(i).type);
  }
  /// `texts_stay`: the rows are there until the query ends.
  void push(std::byte* const* rows, std::size_t count, bool texts_stay, Stage& to);
  /// Rows side by side, any number.
  void push(const RowStore::Piece& rows, bool texts_stay, Stage& to);

 private:
  const RowLayout& layout_;
  std::vector<VectorBuffer> buffers_;
  std::vector<std::byte*> rows_;  // of a piece; stacks are small
  Batch batch_;
};

}  // namespace grappa::query
