#include "grappa/query/exec/window_values.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "grappa/parallel/cancellation.hpp"
#include "grappa/query/exec/aggregate_function.hpp"
#include "grappa/query/exec/window_function.hpp"

namespace grappa::query {
namespace {

using Row = std::byte*;
using RowSpan = std::span<const Row>;

class WindowComputer {
 public:
  WindowComputer(const RowLayout& layout, const BoundWindow& function, TextArena& texts)
      : layout_(layout), function_(function), texts_(texts) {}

  void of_partition(RowSpan rows) {
    rows_ = rows;
    const std::string& name = function_.item->function;
    const WindowPartition partition(layout_, rows, function_);
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

  void number(const WindowPartition& partition, std::string_view name) {
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

  void show_values(const WindowPartition& partition, std::string_view name) {
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

  void aggregate(const WindowPartition& partition) {
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

  void by_tree(const WindowPartition& partition) {
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

}  // namespace

void set_window_values(const RowLayout& layout, std::vector<std::byte*>& rows,
                       const BoundWindow& function, TextArena& texts) {
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

}  // namespace grappa::query
