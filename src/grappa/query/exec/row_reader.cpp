#include "grappa/query/exec/row_reader.hpp"

#include <algorithm>

namespace grappa::query {

void RowReader::push(std::byte* const* rows, std::size_t count, bool texts_stay, Stage& to) {
  batch_.rows = batch_.count = count;
  batch_.selection = nullptr;
  batch_.columns.clear();
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    layout_.read(i, rows, count, nullptr, count, buffers_[i]);
    batch_.columns.push_back(buffers_[i].vector(texts_stay));
  }
  to.push(batch_);
}

void RowReader::push(const RowStore::Piece& rows, bool texts_stay, Stage& to) {
  rows_.resize(std::min(kBatchRows, rows.rows));
  for (std::size_t begin = 0; begin < rows.rows; begin += kBatchRows) {
    const std::size_t count = std::min(kBatchRows, rows.rows - begin);
    for (std::size_t i = 0; i < count; ++i)
      rows_[i] = rows.begin + (begin + i) * layout_.row_bytes();
    push(rows_.data(), count, texts_stay, to);
  }
}

}  // namespace grappa::query
