#include "grappa/query/exec/set_operation.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <utility>

#include "grappa/parallel/cancellation.hpp"
#include "grappa/query/consecutive.hpp"
#include "grappa/query/exec/partitioned_rows.hpp"

namespace grappa::query {
namespace {

/// f(batch, rows) for batches of all rows.
void for_each_batch(const Rows& rows,
                    const std::function<void(const Batch&, std::byte* const*)>& f) {
  std::vector<VectorBuffer> buffers;
  for (std::size_t i = 0; i < rows.layout.columns(); ++i)
    buffers.emplace_back(rows.layout.column(i).type);
  std::vector<std::byte*> some(kBatchRows);  // stacks are small
  rows.for_each_piece([&](const RowStore::Piece& piece) {
    stop_if_cancelled();
    for (std::size_t begin = 0; begin < piece.rows; begin += kBatchRows) {
      const std::size_t count = std::min(kBatchRows, piece.rows - begin);
      for (std::size_t i = 0; i < count; ++i)
        some[i] = piece.begin + (begin + i) * rows.layout.row_bytes();
      Batch batch;
      batch.rows = batch.count = count;
      for (std::size_t i = 0; i < buffers.size(); ++i) {
        rows.layout.read(i, some.data(), count, nullptr, count, buffers[i]);
        batch.columns.push_back(buffers[i].vector(true));
      }
      f(batch, some.data());
    }
  });
}

/// The texts are in the rows that are read, which may go before those that are made of them.
Batch copied_texts(const Batch& batch) {
  Batch copy = batch;
  for (Vector& column : copy.columns) column.texts_stay = false;
  return copy;
}

RowLayout layout_of(const Rows& rows) {
  RowLayout layout;
  layout.add_bytes(sizeof(std::uint64_t), 8);
  for (std::size_t i = 0; i < rows.layout.columns(); ++i) layout.add(rows.layout.column(i).type);
  return layout;
}

/// Which of the first rows are in the answer. All rows are in memory.
std::vector<std::byte*> shown_rows(const Rows& first, const Rows& second, bool intersects, bool all,
                                   const OperatorMemoryPtr& memory) {
  // How often the second has each row, less how often it was met in the first.
  RowLayout layout = layout_of(first);
  const std::size_t offset = layout.add_bytes(sizeof(std::int64_t), 8);
  const auto count_of = [offset](std::byte* row) -> std::int64_t& {
    return *reinterpret_cast<std::int64_t*>(row + offset);
  };
  GroupTable table(
      layout, first.layout.columns(), [&](std::byte* row) { count_of(row) = 0; },
      budget_of(memory));
  std::vector<std::byte*> groups(kBatchRows);
  for_each_batch(second, [&](const Batch& batch, std::byte* const*) {
    table.find_or_add(batch, batch.columns, groups.data());
    for (std::size_t i = 0; i < batch.count; ++i) ++count_of(groups[i]);
  });
  constexpr std::int64_t kShown = -1;
  std::vector<std::byte*> shown;
  for_each_batch(first, [&](const Batch& batch, std::byte* const* rows) {
    table.find_or_add(batch, batch.columns, groups.data());
    for (std::size_t i = 0; i < batch.count; ++i) {
      std::int64_t& count = count_of(groups[i]);
      bool shows = false;
      if (all) {
        shows = (count > 0) == intersects;
        if (count > 0) --count;
      } else {
        shows = count != kShown && (count > 0) == intersects;
        if (shows) count = kShown;
      }
      if (shows) shown.push_back(rows[i]);
    }
  });
  return shown;
}

/// Bytes that a row has in the table and its slots beside its columns, and where it is shown.
constexpr std::size_t kMoreBytesOfSetRow = 64;

/// Whether the table that they are compared by has room, too.
bool fit_into_memory(const Rows& first, const Rows& second, const OperatorMemoryPtr& memory) {
  if (!memory) return true;
  if (first.has_spilled() || second.has_spilled()) return false;
  const std::size_t rows = first.count() + second.count();
  const std::size_t bytes = rows * (first.layout.row_bytes() + kMoreBytesOfSetRow);
  return bytes <= memory->budget()->left() / 2;
}

/// Of two sides in files.
class DividedSetSource final : public Source {
 public:
  DividedSetSource(std::unique_ptr<PartitionedRows> first, std::unique_ptr<PartitionedRows> second,
                   bool intersects, bool all, OperatorMemoryPtr memory)
      : first_(std::move(first)),
        second_(std::move(second)),
        intersects_(intersects),
        all_(all),
        memory_(std::move(memory)) {}

  bool push_piece(int /*core*/, Stage& to) override {
    const std::size_t partition = next_.fetch_add(1, std::memory_order_relaxed);
    if (partition >= kSpillPartitions) return false;
    show(*first_, *second_, partition, to);
    return true;
  }

 private:
  static std::size_t bytes_of(const PartitionedRows& rows, std::size_t partition) {
    return rows.bytes(partition) + kMoreBytesOfSetRow * rows.rows(partition);
  }
  void show(const PartitionedRows& first, const PartitionedRows& second, std::size_t partition,
            Stage& to) const {
    const std::size_t bytes = bytes_of(first, partition) + bytes_of(second, partition);
    if (bytes > memory_->of_core() && first.level() < kMostSpillLevels) {
      const std::unique_ptr<PartitionedRows> firsts = first.divided(partition);
      const std::unique_ptr<PartitionedRows> seconds = second.divided(partition);
      for (std::size_t part = 0; part < kSpillPartitions; ++part) show(*firsts, *seconds, part, to);
      return;
    }
    memory_->budget()->require(first.bytes(partition) + second.bytes(partition));
    const std::shared_ptr<Rows> a = in_memory(first, partition);
    std::vector<std::byte*> shown =
        shown_rows(*a, *in_memory(second, partition), intersects_, all_, memory_);
    const std::shared_ptr<Source> source = ordered_rows_source(a, std::move(shown), false);
    while (source->push_piece(0, to)) {
    }
  }
  std::shared_ptr<Rows> in_memory(const PartitionedRows& from, std::size_t partition) const {
    auto rows = std::make_shared<Rows>(from.types(), 1, memory_, Rows::WhenFull::kFail);
    from.push(partition, *rows->sink(0, consecutive(from.types().size())));
    return rows;
  }

  std::unique_ptr<PartitionedRows> first_;
  std::unique_ptr<PartitionedRows> second_;
  bool intersects_;
  bool all_;
  OperatorMemoryPtr memory_;
  std::atomic<std::size_t> next_{0};
};

}  // namespace

std::shared_ptr<Source> set_source(const Team& team, const std::shared_ptr<Rows>& first,
                                   const std::shared_ptr<Rows>& second, bool intersects, bool all,
                                   const OperatorMemoryPtr& memory) {
  if (fit_into_memory(*first, *second, memory))
    return ordered_rows_source(first, shown_rows(*first, *second, intersects, all, memory));
  const std::vector<std::size_t> keys = consecutive(first->layout.columns());
  auto firsts = divided_rows(team, first, keys, memory);
  auto seconds = divided_rows(team, second, keys, memory);
  return std::make_shared<DividedSetSource>(std::move(firsts), std::move(seconds), intersects, all,
                                            memory);
}

NewRows::NewRows(const std::vector<Type>& types, int cores, bool all, OperatorMemoryPtr memory)
    : types_(types), cores_(cores), all_(all), memory_(std::move(memory)) {
  layout_.add_bytes(sizeof(std::uint64_t), 8);
  for (const Type& type : types) layout_.add(type);
  is_new_ = layout_.add_bytes(1, 1);
  seen_ = std::make_unique<GroupTable>(
      layout_, types.size(), [this](std::byte* row) { row[is_new_] = std::byte{1}; },
      budget_of(memory_));
}

std::shared_ptr<Rows> NewRows::keep_new(const Rows& rows) {
  auto fresh = std::make_shared<Rows>(types_, cores_, memory_);
  if (all_) {
    append_rows(*fresh, rows);
    return fresh;
  }
  const std::unique_ptr<Stage> sink = fresh->sink(0, consecutive(types_.size()));
  std::vector<std::byte*> groups(kBatchRows);
  std::array<Position, kBatchRows> selected;
  for_each_batch(rows, [&](const Batch& batch, std::byte* const*) {
    Batch some = copied_texts(batch);
    seen_->find_or_add(some, some.columns, groups.data());
    some.count = 0;
    for (std::size_t i = 0; i < batch.count; ++i) {
      std::byte& is_new = groups[i][is_new_];
      if (is_new == std::byte{0}) continue;
      is_new = std::byte{0};
      selected[some.count++] = static_cast<Position>(i);
    }
    some.selection = selected.data();
    if (some.count > 0) sink->push(some);
  });
  sink->finish();
  return fresh;
}

void append_rows(Rows& to, const Rows& from) {
  const std::unique_ptr<Stage> sink = to.sink(0, consecutive(to.layout.columns()));
  for_each_batch(from, [&](const Batch& batch, std::byte* const*) {
    Batch copy = copied_texts(batch);
    sink->push(copy);
  });
  sink->finish();
}

}  // namespace grappa::query
