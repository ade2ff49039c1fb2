// The kept rows of a join, once all have probed.

#include <cstring>
#include <utility>
#include <vector>

#include "grappa/query/exec/hash_join.hpp"

namespace grappa::query {

class RightRowsSource final : public Source {
 public:
  explicit RightRowsSource(std::shared_ptr<HashJoin> join) : join_(std::move(join)) {
    for (const auto& store : join_->stores_)
      for (const RowStore::Piece& piece : store->pieces()) pieces_.push_back(piece);
  }

  bool push_piece(int /*core*/, Stage& to) override {
    const std::size_t index = next_.fetch_add(1, std::memory_order_relaxed);
    if (index >= pieces_.size()) return false;
    const JoinSpec& spec = join_->spec_;
    const bool wanted = spec.kind == JoinKind::kRightSemi;
    std::vector<std::byte*> rows(kBatchRows);  // stacks are small
    std::size_t count = 0;
    const RowStore::Piece& piece = pieces_[index];
    for (std::size_t i = 0; i < piece.rows; ++i) {
      std::byte* const row = piece.begin + i * join_->layout_.row_bytes();
      if ((join_->met(row).load(std::memory_order_relaxed) != 0) != wanted) continue;
      rows[count++] = row;
      if (count == kBatchRows) {
        push(rows.data(), count, to);
        count = 0;
      }
    }
    if (count > 0) push(rows.data(), count, to);
    return true;
  }

 private:
  void push(std::byte* const* rows, std::size_t count, Stage& to) const {
    const JoinSpec& spec = join_->spec_;
    Batch batch;
    batch.rows = batch.count = count;
    std::vector<VectorBuffer> buffers;
    buffers.reserve(spec.left_types.size() + spec.right_types.size());
    if (spec.kind < JoinKind::kRightSemi) {
      for (const Type& type : spec.left_types) {
        VectorBuffer& buffer = buffers.emplace_back(type);
        std::memset(buffer.room(count), 0, count * size_of(type.physical()));
        std::fill_n(buffer.valid(count), words_for_bits(count), 0);
        batch.columns.push_back(buffer.vector(true));
      }
    }
    for (std::size_t c = 0; c < spec.right_types.size(); ++c) {
      VectorBuffer& buffer = buffers.emplace_back(spec.right_types[c]);
      join_->layout_.read(join_->columns_[c], rows, count, nullptr, count, buffer);
      batch.columns.push_back(buffer.vector(spec.rows_stay));
    }
    to.push(batch);
  }

  std::shared_ptr<HashJoin> join_;
  std::vector<RowStore::Piece> pieces_;
  std::atomic<std::size_t> next_{0};
};

std::shared_ptr<Source> HashJoin::right_source(const std::shared_ptr<HashJoin>& join) {
  return std::make_shared<RightRowsSource>(join);
}

}  // namespace grappa::query
