#include "grappa/query/exec/partitioned_rows.hpp"

#include <array>
#include <utility>

#include "grappa/query/consecutive.hpp"
#include "grappa/query/exec/hashing.hpp"
#include "grappa/query/exec/row_reader.hpp"

namespace grappa::query {
namespace {

RowLayout row_layout_of(const std::vector<Type>& types) {
  RowLayout layout;
  for (const Type& type : types) layout.add(type);
  return layout;
}

}  // namespace

class PartitionedRows::Sink final : public Stage {
 public:
  Sink(PartitionedRows& rows, int core, std::vector<std::size_t> places)
      : rows_(rows), core_(core), places_(std::move(places)), store_(rows.layout_.row_bytes()) {}

  void push(Batch& batch) override {
    keys_.clear();
    for (const std::size_t key : rows_.keys_) keys_.push_back(batch.columns[places_[key]]);
    hash_rows(batch, keys_, hashes_.data());
    if (store_.rows() == 0) store_.append(kBatchRows, written_.data());
    for (std::size_t i = 0; i < places_.size(); ++i) {
      // Texts are written to the file, and need no copy before that.
      Vector column = batch.columns[places_[i]];
      column.texts_stay = true;
      rows_.layout_.write(i, column, batch, written_.data(), store_.texts());
    }
    for (std::size_t i = 0; i < batch.count; ++i)
      rows_.rows_.add(core_, spill_partition_of(hashes_[i], rows_.level_), written_[i]);
  }
  void finish() override { rows_.rows_.finish(core_); }

 private:
  PartitionedRows& rows_;
  int core_;
  std::vector<std::size_t> places_;
  RowStore store_;  // the rows of a batch
  std::vector<Vector> keys_;
  std::array<std::uint64_t, kBatchRows> hashes_;
  std::array<std::byte*, kBatchRows> written_;
};

PartitionedRows::PartitionedRows(const OperatorMemoryPtr& memory, const std::vector<Type>& types,
                                 std::vector<std::size_t> keys, int cores, int level)
    : memory_(memory),
      types_(types),
      keys_(std::move(keys)),
      level_(level),
      layout_(row_layout_of(types)),
      rows_(memory, layout_.row_bytes(), layout_.text_offsets(), kSpillPartitions, cores) {}

std::unique_ptr<Stage> PartitionedRows::sink(int core, std::vector<std::size_t> places) {
  return std::make_unique<Sink>(*this, core, std::move(places));
}

void PartitionedRows::push(std::size_t partition, std::size_t piece, Stage& to) const {
  RowStore store(layout_.row_bytes(), memory_->budget());
  rows_.read(partition, piece, store);
  RowReader reader(layout_);
  for (const RowStore::Piece& rows : store.pieces()) reader.push(rows, false, to);
}

void PartitionedRows::push(std::size_t partition, Stage& to) const {
  for (std::size_t piece = 0; piece < pieces(partition); ++piece) push(partition, piece, to);
}

std::unique_ptr<PartitionedRows> PartitionedRows::divided(std::size_t partition) const {
  auto made = std::make_unique<PartitionedRows>(memory_, types_, keys_, 1, level_ + 1);
  const std::unique_ptr<Stage> sink = made->sink(0, consecutive(types_.size()));
  push(partition, *sink);
  sink->finish();
  return made;
}

std::unique_ptr<PartitionedRows> divided_rows(const Team& team, const std::shared_ptr<Rows>& rows,
                                              std::vector<std::size_t> keys,
                                              const OperatorMemoryPtr& memory) {
  std::vector<Type> types;
  for (std::size_t i = 0; i < rows->layout.columns(); ++i)
    types.push_back(rows->layout.column(i).type);
  auto made = std::make_unique<PartitionedRows>(memory, types, std::move(keys), team.cores);
  run(team, Pipeline{.source = rows_source(rows)},
      [&](int core) { return made->sink(core, consecutive(types.size())); });
  rows->clear();
  return made;
}

}  // namespace grappa::query
