#include "grappa/query/exec/window.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "grappa/parallel/cancellation.hpp"
#include "grappa/query/exec/aggregate_function.hpp"
#include "grappa/query/exec/partitioned_rows.hpp"
#include "grappa/query/exec/row_reader.hpp"
#include "grappa/query/exec/rows_source.hpp"
#include "grappa/query/exec/scan.hpp"
#include "grappa/query/exec/sort.hpp"

namespace grappa::query {
namespace {

constexpr std::array<std::string_view, 11> kFunctions{
    "row_number", "rank", "dense_rank",  "percent_rank", "cume_dist", "ntile",
    "lag",        "lead", "first_value", "last_value",   "nth_value"};

bool shows_a_value(std::string_view name) {
  return name == "lag" || name == "lead" || name == "first_value" || name == "last_value" ||
         name == "nth_value";
}

using Row = std::byte*;
using RowSpan = std::span<const Row>;

/// A window function with the columns of the rows that it reads and writes.
struct BoundWindow {
  const WindowItem* item;
  std::vector<std::size_t> arguments{};
  std::vector<SortKey> partition{};
  std::vector<SortKey> order{};
  std::optional<std::size_t> begin_offset{};
  std::optional<std::size_t> end_offset{};
  std::optional<std::size_t> filter{};
  std::size_t result = 0;
};

/// What a partition is for its functions: its rows in order, and where equal ones begin and end.
class Partition {
 public:
  Partition(const RowLayout& layout, RowSpan rows, const BoundWindow& function)
      : layout_(layout), rows_(rows), function_(function) {
    peer_begin_.resize(rows.size());
    peer_end_.resize(rows.size());
    for (std::size_t begin = 0; begin < rows.size();) {
      std::size_t end = begin + 1;
      while (end < rows.size() && are_peers(begin, end)) ++end;
      for (std::size_t i = begin; i < end; ++i) {
        peer_begin_[i] = begin;
        peer_end_[i] = end;
      }
      begin = end;
    }
  }

  std::size_t size() const { return rows_.size(); }
  std::size_t peer_begin(std::size_t i) const { return peer_begin_[i]; }
  std::size_t peer_end(std::size_t i) const { return peer_end_[i]; }

  /// [first, second) of the rows in the frame of row i.
  std::pair<std::size_t, std::size_t> frame(std::size_t i) const {
    stop_if_cancelled();
    const WindowItem& item = *function_.item;
    const std::size_t begin = bound(item.begin, function_.begin_offset, i, true);
    const std::size_t end = bound(item.end, function_.end_offset, i, false);
    return {std::min(begin, end), std::max(std::min(begin, end), end)};
  }

 private:
  bool are_peers(std::size_t a, std::size_t b) const {
    return function_.order.empty() ||
           compare_rows(layout_, function_.order, rows_[a], rows_[b]) == 0;
  }

  std::int64_t offset_of(std::size_t column, std::size_t i) const {
    const std::int64_t offset = layout_.at<std::int64_t>(column, rows_[i]);
    if (layout_.is_null(column, rows_[i]) || offset < 0)
      throw QueryError("the distance to the end of a frame has to be a number from 0 on");
    return offset;
  }

  std::size_t bound(const FrameEnd& end, std::optional<std::size_t> offset, std::size_t i,
                    bool is_begin) const {
    if (end.unbounded) return end.preceding ? 0 : size();
    switch (function_.item->unit) {
      case FrameUnit::kRows: {
        if (!offset) return is_begin ? i : i + 1;
        const auto by = static_cast<std::size_t>(
            std::min<std::int64_t>(offset_of(*offset, i), static_cast<std::int64_t>(size())));
        const std::size_t at = is_begin ? i : i + 1;
        return end.preceding ? at - std::min(at, by) : std::min(size(), at + by);
      }
      case FrameUnit::kGroups:
        return groups_bound(end, offset, i, is_begin);
      case FrameUnit::kRange:
        return range_bound(end, offset, i, is_begin);
    }
    __builtin_unreachable();
  }

  std::size_t groups_bound(const FrameEnd& end, std::optional<std::size_t> offset, std::size_t i,
                           bool is_begin) const {
    std::size_t begin = peer_begin_[i];
    std::size_t behind = peer_end_[i];
    std::int64_t left = offset ? offset_of(*offset, i) : 0;
    if (end.preceding) {
      for (; left > 0; --left) {
        if (begin == 0) return 0;
        behind = begin;
        begin = peer_begin_[begin - 1];
      }
    } else {
      for (; left > 0; --left) {
        if (behind == size()) return size();
        begin = behind;
        behind = peer_end_[behind];
      }
    }
    return is_begin ? begin : behind;
  }

  /// Values up to so far from that of row i, of the only column that is ordered by.
  std::size_t range_bound(const FrameEnd& end, std::optional<std::size_t> offset, std::size_t i,
                          bool is_begin) const {
    if (!offset) return is_begin ? peer_begin_[i] : peer_end_[i];
    const SortKey& key = function_.order[0];
    if (layout_.is_null(key.column, rows_[i])) return is_begin ? peer_begin_[i] : peer_end_[i];
    const double here = value_of(key.column, i);
    const auto by = static_cast<double>(layout_.at<std::int64_t>(*offset, rows_[i]));
    if (by < 0) offset_of(*offset, i);
    const double sign = end.preceding == key.descending ? 1 : -1;
    const double limit = here + sign * by;
    const auto before = [&](std::size_t row) {
      if (layout_.is_null(key.column, rows_[row])) return key.nulls_first;
      const double value = value_of(key.column, row);
      const double distance = key.descending ? limit - value : value - limit;
      return is_begin ? distance < 0 : distance <= 0;
    };
    std::size_t low = 0;
    std::size_t high = size();
    while (low < high) {
      const std::size_t middle = (low + high) / 2;
      if (before(middle))
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }

  double value_of(std::size_t column, std::size_t i) const {
    return with_physical(layout_.column(column).type.physical(), [&]<class T>() -> double {
      if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, Int128>) {
        return static_cast<double>(layout_.at<T>(column, rows_[i]));
      } else {
        throw QueryError("RANGE with a distance needs an ORDER BY of one number");
      }
    });
  }

  const RowLayout& layout_;
  RowSpan rows_;
  const BoundWindow& function_;
  std::vector<std::size_t> peer_begin_;
  std::vector<std::size_t> peer_end_;
};

class WindowComputer {
 public:
  WindowComputer(const RowLayout& layout, const BoundWindow& function, TextArena& texts)
      : layout_(layout), function_(function), texts_(texts) {}

  void of_partition(RowSpan rows) {
    rows_ = rows;
    const std::string& name = function_.item->function;
    const Partition partition(layout_, rows, function_);
    if (is_aggregate(name)) {
      aggregate(partition);
    } else if (shows_a_value(name)) {
      show_values(partition, name);
    } else {
      number(partition, name);
    }
  }

 private:
  template <class T>
  void set(std::size_t i, const T& value) {
    std::memcpy(rows_[i] + layout_.column(function_.result).offset, &value, sizeof value);
    rows_[i][layout_.column(function_.result).null_byte] = std::byte{0};
  }
  void set_null(std::size_t i) {
    const RowLayout::Column& to = layout_.column(function_.result);
    std::memset(rows_[i] + to.offset, 0, size_of(to.type.physical()));
    rows_[i][to.null_byte] = std::byte{1};
  }
  void copy(std::size_t i, std::size_t from, std::size_t column) {
    if (layout_.is_null(column, rows_[from])) return set_null(i);
    const std::size_t size = size_of(layout_.column(column).type.physical());
    std::memcpy(rows_[i] + layout_.column(function_.result).offset,
                rows_[from] + layout_.column(column).offset, size);
    rows_[i][layout_.column(function_.result).null_byte] = std::byte{0};
  }

  void number(const Partition& partition, std::string_view name) {
    const std::size_t count = partition.size();
    std::int64_t dense = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (partition.peer_begin(i) == i) ++dense;
      const auto rank = static_cast<std::int64_t>(partition.peer_begin(i)) + 1;
      if (name == "row_number")
        set(i, static_cast<std::int64_t>(i) + 1);
      else if (name == "rank")
        set(i, rank);
      else if (name == "dense_rank")
        set(i, dense);
      else if (name == "percent_rank")
        set(i, count == 1 ? 0.0 : static_cast<double>(rank - 1) / static_cast<double>(count - 1));
      else if (name == "cume_dist")
        set(i, static_cast<double>(partition.peer_end(i)) / static_cast<double>(count));
      else
        set(i, tile(i, count));
    }
  }

  std::int64_t tile(std::size_t i, std::size_t count) const {
    const std::int64_t tiles = layout_.at<std::int64_t>(function_.arguments[0], rows_[i]);
    if (tiles < 1) throw QueryError("ntile: a number from 1 on was expected");
    const auto rows = static_cast<std::int64_t>(count);
    const std::int64_t small = rows / tiles;
    const std::int64_t large = rows % tiles;  // so many have one more
    const auto at = static_cast<std::int64_t>(i);
    if (at < large * (small + 1)) return at / (small + 1) + 1;
    return large + (at - large * (small + 1)) / std::max<std::int64_t>(small, 1) + 1;
  }

  void show_values(const Partition& partition, std::string_view name) {
    const std::size_t column = function_.arguments[0];
    const auto count = static_cast<std::int64_t>(partition.size());
    for (std::size_t i = 0; i < partition.size(); ++i) {
      if (name == "lag" || name == "lead") {
        const std::int64_t by = function_.arguments.size() > 1
                                    ? layout_.at<std::int64_t>(function_.arguments[1], rows_[i])
                                    : 1;
        const std::int64_t at = static_cast<std::int64_t>(i) + (name == "lag" ? -by : by);
        if (at >= 0 && at < count)
          copy(i, static_cast<std::size_t>(at), column);
        else if (function_.arguments.size() > 2)
          copy(i, i, function_.arguments[2]);
        else
          set_null(i);
        continue;
      }
      const auto [begin, end] = partition.frame(i);
      std::int64_t nth = 1;
      if (name == "nth_value") {
        nth = layout_.at<std::int64_t>(function_.arguments[1], rows_[i]);
        if (nth < 1) throw QueryError("nth_value: a number from 1 on was expected");
      }
      show_nth(i, begin, end, nth, name == "last_value", column);
    }
  }

  void show_nth(std::size_t i, std::size_t begin, std::size_t end, std::int64_t nth, bool from_last,
                std::size_t column) {
    const auto place = [&](std::size_t k) { return from_last ? end - 1 - k : begin + k; };
    if (!function_.item->ignores_nulls) {
      if (nth > static_cast<std::int64_t>(end - begin)) return set_null(i);
      return copy(i, place(static_cast<std::size_t>(nth) - 1), column);
    }
    for (std::size_t k = 0; k < end - begin; ++k) {
      if (layout_.is_null(column, rows_[place(k)])) continue;
      if (--nth == 0) return copy(i, place(k), column);
    }
    set_null(i);
  }

  // ---- aggregates

  void aggregate(const Partition& partition) {
    const WindowItem& item = *function_.item;
    aggregate_ = find_aggregate(item.function, item.arguments, std::int64_t{1} << 40);
    stride_ = (aggregate_.state_bytes + 15) / 16 * 16;
    const bool grows = item.begin.unbounded && item.begin.preceding;
    if (grows && item.end.unbounded) {
      state_.assign(stride_, std::byte{0});
      aggregate_.start(state_.data());
      add_rows(0, partition.size(), state_.data());
      for (std::size_t i = 0; i < partition.size(); ++i) finish(i, state_.data());
    } else if (grows) {
      state_.assign(stride_, std::byte{0});
      aggregate_.start(state_.data());
      std::size_t added = 0;
      for (std::size_t i = 0; i < partition.size(); ++i) {
        const std::size_t end = partition.frame(i).second;
        // An offset that differs by row may take the frame back.
        if (end < added) {
          aggregate_.start(state_.data());
          added = 0;
        }
        add_rows(added, end, state_.data());
        added = end;
        finish(i, state_.data());
      }
    } else {
      by_tree(partition);
    }
  }

  /// Adds rows to one state.
  void add_rows(std::size_t begin, std::size_t end, std::byte* state) {
    if (function_.filter) {
      for (std::size_t i = begin; i < end; ++i) {
        const bool counts = !layout_.is_null(*function_.filter, rows_[i]) &&
                            layout_.at<std::uint8_t>(*function_.filter, rows_[i]) != 0;
        if (counts) add_some(i, i + 1, state);
      }
    } else {
      for (std::size_t at = begin; at < end; at += kBatchRows)
        add_some(at, std::min(end, at + kBatchRows), state);
    }
  }
  void add_some(std::size_t begin, std::size_t end, std::byte* state) {
    stop_if_cancelled();
    const std::size_t count = end - begin;
    Batch batch;
    batch.rows = batch.count = count;
    while (buffers_.size() < function_.arguments.size())
      buffers_.emplace_back(layout_.column(function_.arguments[buffers_.size()]).type);
    for (std::size_t a = 0; a < function_.arguments.size(); ++a) {
      layout_.read(function_.arguments[a], rows_.data() + begin, count, nullptr, count,
                   buffers_[a]);
      batch.columns.push_back(buffers_[a].vector(true));
    }
    states_.assign(count, state);
    aggregate_.add({.arguments = batch.columns,
                    .batch = &batch,
                    .groups = states_.data(),
                    .offset = 0,
                    .texts = &texts_});
  }
  void finish(std::size_t i, std::byte* state) {
    if (!result_) result_.emplace(aggregate_.result);
    aggregate_.finish(&state, 1, 0, *result_, texts_);
    const Vector value = result_->vector(true);
    if (!value.is_valid(0)) return set_null(i);
    with_physical(value.type.physical(), [&]<class T>() { set(i, value.at<T>(0)); });
  }

  void by_tree(const Partition& partition) {
    // Node 1 is the root, the leaves are from `leaves` on.
    std::size_t leaves = 1;
    while (leaves < partition.size()) leaves *= 2;
    std::vector<std::byte> nodes(2 * leaves * stride_);
    const auto node = [&](std::size_t n) { return nodes.data() + n * stride_; };
    for (std::size_t n = 0; n < 2 * leaves; ++n) aggregate_.start(node(n));
    for (std::size_t i = 0; i < partition.size(); ++i) add_rows(i, i + 1, node(leaves + i));
    for (std::size_t n = leaves; n-- > 1;) {
      aggregate_.merge(node(n), node(2 * n), texts_);
      aggregate_.merge(node(n), node(2 * n + 1), texts_);
    }
    state_.assign(stride_, std::byte{0});
    for (std::size_t i = 0; i < partition.size(); ++i) {
      const auto [begin, end] = partition.frame(i);
      aggregate_.start(state_.data());
      std::size_t low = leaves + begin;
      std::size_t high = leaves + end;
      for (; low < high; low /= 2, high /= 2) {
        if (low % 2 == 1) aggregate_.merge(state_.data(), node(low++), texts_);
        if (high % 2 == 1) aggregate_.merge(state_.data(), node(--high), texts_);
      }
      finish(i, state_.data());
    }
  }

  const RowLayout& layout_;
  const BoundWindow& function_;
  TextArena& texts_;
  RowSpan rows_;
  AggregateFunction aggregate_;
  std::size_t stride_ = 0;
  std::vector<std::byte> state_;
  std::vector<VectorBuffer> buffers_;
  std::vector<std::byte*> states_;
  std::optional<VectorBuffer> result_;
};

/// Rows in the order of partitions, and in these of the function.
void compute(const RowLayout& layout, std::vector<Row>& rows, const BoundWindow& function,
             TextArena& texts) {
  std::vector<SortKey> keys = function.partition;
  keys.insert(keys.end(), function.order.begin(), function.order.end());
  std::stable_sort(rows.begin(), rows.end(), [&](const Row a, const Row b) {
    stop_if_cancelled();
    return compare_rows(layout, keys, a, b) < 0;
  });
  WindowComputer compute(layout, function, texts);
  for (std::size_t begin = 0; begin < rows.size();) {
    std::size_t end = begin + 1;
    while (end < rows.size() &&
           compare_rows(layout, function.partition, rows[begin], rows[end]) == 0)
      ++end;
    stop_if_cancelled();
    compute.of_partition(RowSpan(rows).subspan(begin, end - begin));
    begin = end;
  }
}

/// Shows some of the columns of its rows only.
class ShowColumns final : public Stage {
 public:
  ShowColumns(std::vector<std::size_t> places, Stage& next)
      : places_(std::move(places)), next_(next) {}
  void push(Batch& batch) override {
    Batch shown = batch;
    shown.columns.clear();
    for (const std::size_t place : places_) shown.columns.push_back(batch.columns[place]);
    next_.push(shown);
  }

 private:
  std::vector<std::size_t> places_;
  Stage& next_;
};

/// The functions, and where the columns that are shown are in the rows.
struct BoundWindows {
  std::vector<BoundWindow> functions{};
  std::vector<std::size_t> shown{};

  /// Of all rows, which are in memory.
  void set_values(Rows& rows) const {
    std::vector<Row> all;
    all.reserve(rows.count());
    for (const auto& store : rows.stores) store->for_each([&](Row row) { all.push_back(row); });
    for (const BoundWindow& function : functions)
      compute(rows.layout, all, function, rows.stores[0]->texts());
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
    const std::size_t bytes = from.bytes(partition) + from.rows(partition) * sizeof(Row);
    if (bytes > memory_->of_core() && from.level() < kMostSpillLevels) {
      const std::unique_ptr<PartitionedRows> parts = from.divided(partition);
      for (std::size_t part = 0; part < kSpillPartitions; ++part) push(*parts, part, to);
      return;
    }
    Rows rows(from.types(), 1, memory_, Rows::WhenFull::kFail);
    std::vector<std::size_t> places(from.types().size());
    std::iota(places.begin(), places.end(), std::size_t{0});
    from.push(partition, *rows.sink(0, std::move(places)));
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

bool is_window_function(std::string_view name) {
  return std::ranges::find(kFunctions, name) != kFunctions.end();
}

Type window_type(WindowItem& item) {
  const std::string& name = item.function;
  const auto takes = [&](std::size_t least, std::size_t most) {
    if (item.arguments.size() < least || item.arguments.size() > most)
      throw UsageError(fmt::format("{} takes {} arguments", name, least));
  };
  for (FrameEnd* const end : {&item.begin, &item.end})
    if (end->offset) end->offset = cast(end->offset, kInt64);
  const bool has_distance = item.begin.offset || item.end.offset;
  if (item.unit == FrameUnit::kRange && has_distance && item.order.size() != 1)
    throw UsageError("RANGE with a distance needs an ORDER BY of one number");
  if (is_aggregate(name)) {
    const AggregateFunction function = find_aggregate(name, item.arguments, INT64_MAX);
    for (std::size_t i = 0; i < item.arguments.size(); ++i)
      item.arguments[i] = cast(item.arguments[i], function.parameters[i]);
    return function.result;
  }
  if (name == "percent_rank" || name == "cume_dist") return kDouble;
  if (name == "ntile") {
    takes(1, 1);
    item.arguments[0] = cast(item.arguments[0], kInt64);
    return kInt64;
  }
  if (!shows_a_value(name)) {
    takes(0, 0);
    return kInt64;
  }
  const bool moves = name == "lag" || name == "lead";
  takes(name == "nth_value" ? 2 : 1, moves ? 3 : name == "nth_value" ? 2 : 1);
  if (item.arguments.size() > 1) item.arguments[1] = cast(item.arguments[1], kInt64);
  if (item.arguments.size() > 2)
    item.arguments[2] = cast(item.arguments[2], item.arguments[0]->type);
  return item.arguments[0]->type;
}

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
  for (std::size_t i = 0; i < shown; ++i) windows.shown.push_back(i);
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
