#include "grappa/query/exec/window.hpp"

#include <algorithm>
#include <atomic>
#include <utility>
#include <vector>

#include "grappa/query/consecutive.hpp"
#include "grappa/query/exec/partitioned_rows.hpp"
#include "grappa/query/exec/row_reader.hpp"
#include "grappa/query/exec/rows_source.hpp"
#include "grappa/query/exec/scan.hpp"
#include "grappa/query/exec/show_columns.hpp"
#include "grappa/query/exec/window_values.hpp"

namespace grappa::query {
namespace {

/// The functions, and where the columns that are shown are in the rows.
struct BoundWindows {
  std::vector<BoundWindow> functions{};
  std::vector<std::size_t> shown{};

  /// Of all rows, which are in memory.
  void set_values(Rows& rows) const {
    std::vector<std::byte*> all;
    all.reserve(rows.count());
    for (const auto& store : rows.stores)
      store->for_each([&](std::byte* row) { all.push_back(row); });
    for (const BoundWindow& function : functions)
      set_window_values(rows.layout, all, function, rows.stores[0]->texts());
  }
};

class WindowSource final : public Source {
 public:
  WindowSource(std::shared_ptr<Source> rows, std::vector<std::size_t> places)
      : rows_(std::move(rows)), places_(std::move(places)) {}
  bool push_piece(int core, Stage& to) override {
    ShowColumns show(places_, to);
    return rows_->push_piece(core, show);
  }

 private:
  std::shared_ptr<Source> rows_;
  std::vector<std::size_t> places_;
};

/// Of rows in a file, with all of a partition's in the same one there.
class DividedWindowSource final : public Source {
 public:
  DividedWindowSource(std::unique_ptr<PartitionedRows> rows, BoundWindows windows,
                      OperatorMemoryPtr memory)
      : rows_(std::move(rows)), windows_(std::move(windows)), memory_(std::move(memory)) {}

  bool push_piece(int /*core*/, Stage& to) override {
    const std::size_t partition = next_.fetch_add(1, std::memory_order_relaxed);
    if (partition >= kSpillPartitions) return false;
    ShowColumns show(windows_.shown, to);
    push(*rows_, partition, show);
    return true;
  }

 private:
  void push(const PartitionedRows& from, std::size_t partition, Stage& to) const {
    const std::size_t bytes = from.bytes(partition) + from.rows(partition) * sizeof(std::byte*);
    if (bytes > memory_->of_core() && from.level() < kMostSpillLevels) {
      const std::unique_ptr<PartitionedRows> parts = from.divided(partition);
      for (std::size_t part = 0; part < kSpillPartitions; ++part) push(*parts, part, to);
      return;
    }
    memory_->budget()->require(from.bytes(partition));
    Rows rows(from.types(), 1, memory_, Rows::WhenFull::kFail);
    from.push(partition, *rows.sink(0, consecutive(from.types().size())));
    windows_.set_values(rows);
    RowReader reader(rows.layout);
    rows.for_each_piece([&](const RowStore::Piece& piece) { reader.push(piece, false, to); });
  }

  std::unique_ptr<PartitionedRows> rows_;
  BoundWindows windows_;
  OperatorMemoryPtr memory_;
  std::atomic<std::size_t> next_{0};
};

}  // namespace

bool have_one_partition(const Relation& relation) {
  const Expressions& partition = relation.windows[0].partition;
  return !partition.empty() && std::ranges::all_of(relation.windows, [&](const WindowItem& item) {
    return std::ranges::equal(item.partition, partition,
                              [](const auto& a, const auto& b) { return same(*a, *b); });
  });
}

std::shared_ptr<Source> window_source(const Team& team, Pipeline input, const Relation& relation,
                                      const OperatorMemoryPtr& memory) {
  // Columns of the input, then all that functions read, then what they give.
  Expressions columns = relation.inputs[0]->columns;
  const std::size_t shown = columns.size();
  BoundWindows windows;
  std::vector<BoundWindow>& functions = windows.functions;
  const auto add = [&](const ExpressionPtr& value) {
    for (std::size_t i = 0; i < columns.size(); ++i)
      if (same(*columns[i], *value)) return i;
    columns.push_back(value);
    return columns.size() - 1;
  };
  for (const WindowItem& item : relation.windows) {
    BoundWindow function{.item = &item};
    for (const ExpressionPtr& argument : item.arguments)
      function.arguments.push_back(add(argument));
    for (const ExpressionPtr& value : item.partition) function.partition.push_back({add(value)});
    for (const SortItem& by : item.order)
      function.order.push_back({add(by.value), by.descending, by.nulls_first});
    if (item.begin.offset) function.begin_offset = add(item.begin.offset);
    if (item.end.offset) function.end_offset = add(item.end.offset);
    if (item.filter) function.filter = add(item.filter);
    functions.push_back(std::move(function));
  }
  std::vector<Type> types;
  for (const ExpressionPtr& of : columns) types.push_back(of->type);
  for (BoundWindow& function : functions) {
    function.result = types.size();
    types.push_back(function.item->column->type);
  }
  auto rows = std::make_shared<Rows>(
      types, team.cores, memory,
      have_one_partition(relation) ? Rows::WhenFull::kSpill : Rows::WhenFull::kFail);
  std::vector<std::size_t> places;
  Expressions computed;
  for (const ExpressionPtr& of : columns) {
    if (of->is_column()) {
      places.push_back(input.layout.place(of->column));
    } else {
      places.push_back(input.layout.size() + computed.size());
      computed.push_back(of);
    }
  }
  if (!computed.empty()) input.stages.push_back(compute_stage(computed, input.layout));
  run(team, input, [&](int core) { return rows->sink(core, places); });
  windows.shown = consecutive(shown);
  for (const BoundWindow& function : functions) windows.shown.push_back(function.result);
  if (rows->has_spilled()) {
    std::vector<std::size_t> keys;
    for (const SortKey& key : functions[0].partition) keys.push_back(key.column);
    return std::make_shared<DividedWindowSource>(divided_rows(team, rows, std::move(keys), memory),
                                                 std::move(windows), memory);
  }
  windows.set_values(*rows);
  return std::make_shared<WindowSource>(rows_source(rows), std::move(windows.shown));
}

}  // namespace grappa::query
