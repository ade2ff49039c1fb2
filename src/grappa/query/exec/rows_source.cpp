#include "grappa/query/exec/rows_source.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "grappa/query/exec/row_reader.hpp"

namespace grappa::query {
namespace {

class KeepRows final : public Stage {
 public:
  KeepRows(Rows& rows, int core, std::vector<std::size_t> places)
      : rows_(rows),
        core_(core),
        store_(*rows.stores[static_cast<std::size_t>(core)]),
        places_(std::move(places)),
        most_bytes_(rows.most_of_core()) {}

  void push(Batch& batch) override {
    store_.append(batch.count, written_.data());
    for (std::size_t i = 0; i < places_.size(); ++i)
      rows_.layout.write(i, batch.columns[places_[i]], batch, written_.data(), store_.texts());
    if (places_.size() < rows_.layout.columns()) clear_others(batch.count);
    rows_.spill_if_above(most_bytes_, core_);
  }
  void finish() override { rows_.finish(core_); }

 private:
  /// Columns that get a value later: what is there has to be some text.
  void clear_others(std::size_t count) {
    const std::size_t begin = rows_.layout.column(places_.size()).offset;
    const std::size_t bytes = rows_.layout.row_bytes() - begin;
    for (std::size_t i = 0; i < count; ++i) std::memset(written_[i] + begin, 0, bytes);
  }

  Rows& rows_;
  int core_;
  RowStore& store_;
  std::vector<std::size_t> places_;
  std::size_t most_bytes_;  // in memory
  std::array<std::byte*, kBatchRows> written_;
};

class RowsSource final : public Source {
 public:
  explicit RowsSource(std::shared_ptr<const Rows> rows) : rows_(std::move(rows)) {
    for (const auto& store : rows_->stores)
      for (const RowStore::Piece& piece : store->pieces()) pieces_.push_back(piece);
  }
  bool push_piece(int /*core*/, Stage& to) override {
    const std::size_t index = next_.fetch_add(1, std::memory_order_relaxed);
    RowReader reader(rows_->layout);
    if (index < pieces_.size()) {
      reader.push(pieces_[index], true, to);
      return true;
    }
    if (index - pieces_.size() >= rows_->spilled_pieces()) return false;
    const RowStore store = rows_->spilled_piece(index - pieces_.size());
    for (const RowStore::Piece& piece : store.pieces()) reader.push(piece, false, to);
    return true;
  }

 private:
  std::shared_ptr<const Rows> rows_;
  std::vector<RowStore::Piece> pieces_;
  std::atomic<std::size_t> next_{0};
};

class OrderedRowsSource final : public Source {
 public:
  OrderedRowsSource(std::shared_ptr<const Rows> rows, std::vector<std::byte*> order,
                    bool texts_stay)
      : rows_(std::move(rows)), order_(std::move(order)), texts_stay_(texts_stay) {
    for (std::size_t core = 0; core < rows_->stores.size(); ++core)
      readers_.emplace_back(rows_->layout);
  }
  bool push_piece(int core, Stage& to) override {
    const std::size_t begin = next_.fetch_add(kBatchRows, std::memory_order_relaxed);
    if (begin >= order_.size()) return false;
    const std::size_t count = std::min(kBatchRows, order_.size() - begin);
    readers_[static_cast<std::size_t>(core)].push(order_.data() + begin, count, texts_stay_, to);
    return true;
  }

 private:
  std::shared_ptr<const Rows> rows_;
  std::vector<std::byte*> order_;
  bool texts_stay_;
  std::vector<RowReader> readers_;  // [cores]
  std::atomic<std::size_t> next_{0};
};

}  // namespace

Rows::Rows(const std::vector<Type>& types, int cores, OperatorMemoryPtr memory, WhenFull when_full)
    : memory_(std::move(memory)), when_full_(when_full) {
  for (const Type& type : types) layout.add(type);
  for (int core = 0; core < cores; ++core)
    stores.push_back(std::make_unique<RowStore>(layout.row_bytes(), budget_of(memory_)));
}

std::size_t Rows::count() const {
  std::size_t all = has_spilled() ? spilled_.made()->rows(0) : 0;
  for (const auto& store : stores) all += store->rows();
  return all;
}

std::unique_ptr<Stage> Rows::sink(int core, std::vector<std::size_t> places) {
  return std::make_unique<KeepRows>(*this, core, std::move(places));
}

void Rows::for_each_piece(const std::function<void(const RowStore::Piece&)>& f) const {
  for (const auto& store : stores)
    for (const RowStore::Piece& piece : store->pieces()) f(piece);
  for (std::size_t i = 0; i < spilled_pieces(); ++i) {
    const RowStore store = spilled_piece(i);
    for (const RowStore::Piece& piece : store.pieces()) f(piece);
  }
}

void Rows::clear() {
  for (const auto& store : stores) store->clear();
  spilled_.take();
}

std::size_t Rows::most_of_core() const {
  return memory_ && when_full_ == WhenFull::kSpill ? memory_->of_core() : SIZE_MAX;
}

void Rows::spill(int core) {
  SpilledRows& spilled = spilled_.get([this] {
    return std::make_unique<SpilledRows>(memory_, layout.row_bytes(), layout.text_offsets(), 1,
                                         static_cast<int>(stores.size()));
  });
  RowStore& store = *stores[static_cast<std::size_t>(core)];
  store.for_each([&](const std::byte* row) { spilled.add(core, 0, row); });
  store.clear();
}

void Rows::finish(int core) {
  if (has_spilled()) spilled_.made()->finish(core);
}

RowStore Rows::spilled_piece(std::size_t piece) const {
  RowStore store(layout.row_bytes(), budget_of(memory_));
  spilled_.made()->read(0, piece, store);
  return store;
}

std::shared_ptr<Source> rows_source(std::shared_ptr<const Rows> rows) {
  return std::make_shared<RowsSource>(std::move(rows));
}
std::shared_ptr<Source> ordered_rows_source(std::shared_ptr<const Rows> rows,
                                            std::vector<std::byte*> order, bool texts_stay) {
  return std::make_shared<OrderedRowsSource>(std::move(rows), std::move(order), texts_stay);
}

}  // namespace grappa::query
