#include "grappa/query/exec/rows_source.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace grappa::query {
namespace {

class KeepRows final : public Stage {
 public:
  KeepRows(const RowLayout& layout, RowStore& store, std::vector<std::size_t> places)
      : layout_(layout), store_(store), places_(std::move(places)) {}

  void push(Batch& batch) override {
    store_.append(batch.count, rows_.data());
    for (std::size_t i = 0; i < places_.size(); ++i)
      layout_.write(i, batch.columns[places_[i]], batch, rows_.data(), store_.texts());
  }

 private:
  const RowLayout& layout_;
  RowStore& store_;
  std::vector<std::size_t> places_;
  std::array<std::byte*, kBatchRows> rows_;
};

/// What a core reads rows into.
class RowReader {
 public:
  explicit RowReader(const RowLayout& layout) : layout_(layout) {
    for (std::size_t i = 0; i < layout.columns(); ++i) buffers_.emplace_back(layout.column(i).type);
  }
  void push(std::byte* const* rows, std::size_t count, Stage& to) {
    batch_.rows = batch_.count = count;
    batch_.selection = nullptr;
    batch_.columns.clear();
    for (std::size_t i = 0; i < buffers_.size(); ++i) {
      layout_.read(i, rows, count, nullptr, count, buffers_[i]);
      batch_.columns.push_back(buffers_[i].vector(true));
    }
    to.push(batch_);
  }

 private:
  const RowLayout& layout_;
  std::vector<VectorBuffer> buffers_;
  Batch batch_;
};

class RowsSource final : public Source {
 public:
  explicit RowsSource(std::shared_ptr<const Rows> rows) : rows_(std::move(rows)) {
    for (const auto& store : rows_->stores)
      for (const RowStore::Piece& piece : store->pieces()) pieces_.push_back(piece);
  }
  bool push_piece(int /*core*/, Stage& to) override {
    const std::size_t index = next_.fetch_add(1, std::memory_order_relaxed);
    if (index >= pieces_.size()) return false;
    RowReader reader(rows_->layout);
    std::array<std::byte*, kBatchRows> rows;
    const RowStore::Piece& piece = pieces_[index];
    const std::size_t row_bytes = rows_->layout.row_bytes();
    for (std::size_t begin = 0; begin < piece.rows; begin += kBatchRows) {
      const std::size_t count = std::min(kBatchRows, piece.rows - begin);
      for (std::size_t i = 0; i < count; ++i) rows[i] = piece.begin + (begin + i) * row_bytes;
      reader.push(rows.data(), count, to);
    }
    return true;
  }

 private:
  std::shared_ptr<const Rows> rows_;
  std::vector<RowStore::Piece> pieces_;
  std::atomic<std::size_t> next_{0};
};

class OrderedRowsSource final : public Source {
 public:
  OrderedRowsSource(std::shared_ptr<const Rows> rows, std::vector<std::byte*> order)
      : rows_(std::move(rows)), order_(std::move(order)) {
    for (std::size_t core = 0; core < rows_->stores.size(); ++core)
      readers_.emplace_back(rows_->layout);
  }
  bool push_piece(int core, Stage& to) override {
    const std::size_t begin = next_.fetch_add(kBatchRows, std::memory_order_relaxed);
    if (begin >= order_.size()) return false;
    const std::size_t count = std::min(kBatchRows, order_.size() - begin);
    readers_[static_cast<std::size_t>(core)].push(order_.data() + begin, count, to);
    return true;
  }

 private:
  std::shared_ptr<const Rows> rows_;
  std::vector<std::byte*> order_;
  std::vector<RowReader> readers_;  // [cores]
  std::atomic<std::size_t> next_{0};
};

}  // namespace

Rows::Rows(const std::vector<Type>& types, int cores) {
  for (const Type& type : types) layout.add(type);
  for (int core = 0; core < cores; ++core)
    stores.push_back(std::make_unique<RowStore>(layout.row_bytes()));
}

std::size_t Rows::count() const {
  std::size_t all = 0;
  for (const auto& store : stores) all += store->rows();
  return all;
}

std::unique_ptr<Stage> Rows::sink(int core, std::vector<std::size_t> places) {
  return std::make_unique<KeepRows>(layout, *stores[static_cast<std::size_t>(core)],
                                    std::move(places));
}

std::shared_ptr<Source> rows_source(std::shared_ptr<const Rows> rows) {
  return std::make_shared<RowsSource>(std::move(rows));
}
std::shared_ptr<Source> ordered_rows_source(std::shared_ptr<const Rows> rows,
                                            std::vector<std::byte*> order) {
  return std::make_shared<OrderedRowsSource>(std::move(rows), std::move(order));
}

}  // namespace grappa::query
