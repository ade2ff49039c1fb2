#include "grappa/query/exec/sort.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <utility>

#include "grappa/parallel/cancellation.hpp"
#include "grappa/query/exec/row_exchange.hpp"
#include "grappa/query/exec/row_layout.hpp"

namespace grappa::query {
namespace {

/// A row with the first bits of its first key, by which most comparisons are decided.
struct Entry {
  std::uint64_t prefix;
  std::byte* row;
};

template <class T>
int order_of(const T& a, const T& b) {
  if constexpr (std::is_floating_point_v<T>) {
    // NaN is the greatest.
    const bool first = std::isnan(a);
    const bool second = std::isnan(b);
    if (first || second) return static_cast<int>(first) - static_cast<int>(second);
  }
  return a < b ? -1 : b < a ? 1 : 0;
}

/// A number that orders as the values do, as far as 64 bits tell.
template <class T>
std::uint64_t prefix_of(const T& value) {
  constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
  if constexpr (std::is_same_v<T, TextRef>) {
    std::uint64_t bytes = 0;
    const std::string_view text = value.view();
    std::memcpy(&bytes, text.data(), std::min<std::size_t>(8, text.size()));
    return __builtin_bswap64(bytes);
  } else if constexpr (std::is_same_v<T, Interval>) {
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(value.length() >> 32)) ^ kSign;
  } else if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(value)) return ~std::uint64_t{0};
    const auto bits = std::bit_cast<std::uint64_t>(value == 0 ? 0.0 : static_cast<double>(value));
    return (bits & kSign) != 0 ? ~bits : bits | kSign;
  } else if constexpr (sizeof(T) == 16) {
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(value >> 64)) ^ kSign;
  } else {
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(value)) ^ kSign;
  }
}

class RowOrder {
 public:
  RowOrder(const RowLayout& layout, const std::vector<SortKey>& keys)
      : layout_(layout), keys_(keys), cancel_(grappa::internal::cancel_flag()) {}

  Entry entry(std::byte* row) const {
    if (keys_.empty()) return {0, row};
    const SortKey& key = keys_[0];
    if (layout_.is_null(key.column, row)) return {key.nulls_first ? 0 : ~std::uint64_t{0}, row};
    const std::uint64_t prefix =
        with_physical(layout_.column(key.column).type.physical(), [&]<class T>() {
          T value;
          std::memcpy(&value, row + layout_.column(key.column).offset, sizeof value);
          return prefix_of(value);
        });
    return {key.descending ? ~prefix : prefix, row};
  }
  /// Cancelled, as a sort has no other moment to end at.
  bool operator()(const Entry& a, const Entry& b) const {
    if (cancel_.load(std::memory_order_relaxed)) [[unlikely]]
      throw Cancelled();
    if (a.prefix != b.prefix) return a.prefix < b.prefix;
    return compare_rows(layout_, keys_, a.row, b.row) < 0;
  }

 private:
  const RowLayout& layout_;
  const std::vector<SortKey>& keys_;
  const std::atomic<bool>& cancel_;
};

/// Sorts what a core has, and forgets what is too much.
void keep_first(std::vector<Entry>& entries, std::size_t most, const RowOrder& order) {
  if (entries.size() > most) {
    std::nth_element(entries.begin(), entries.begin() + static_cast<std::ptrdiff_t>(most),
                     entries.end(), order);
    entries.resize(most);
  }
}

/// Keeps the rows of a core, and sorts them when all are there.
class SortSink final : public Stage {
 public:
  SortSink(std::unique_ptr<Stage> keep, RowStore& store, std::vector<Entry>& entries,
           std::size_t most, const RowOrder& order)
      : keep_(std::move(keep)), store_(store), entries_(entries), most_(most), order_(order) {}

  void push(Batch& batch) override { keep_->push(batch); }
  void finish() override {
    entries_.reserve(store_.rows());
    store_.for_each([&](std::byte* row) { entries_.push_back(order_.entry(row)); });
    keep_first(entries_, most_, order_);
    std::sort(entries_.begin(), entries_.end(), order_);
  }

 private:
  std::unique_ptr<Stage> keep_;
  RowStore& store_;
  std::vector<Entry>& entries_;
  std::size_t most_;
  const RowOrder& order_;
};

/// On the first locale those of all; none on the others.
void merge_locales(const Team& team, Rows& rows, const RowOrder& order, std::size_t most,
                   std::vector<Entry>& sorted) {
  const RowExchange exchange(team, rows.layout.row_bytes(), text_offsets(rows.layout));
  if (team.locale != 0) {
    for (const Entry& entry : sorted) exchange.send(entry.row, 0);
    sorted.clear();
  }
  RowStore arrived(rows.layout.row_bytes());
  exchange.end(arrived);
  arrived.for_each([&](std::byte* row) { sorted.push_back(order.entry(row)); });
  if (team.locale != 0) return;
  rows.stores.push_back(std::make_unique<RowStore>(std::move(arrived)));
  keep_first(sorted, most, order);
  std::sort(sorted.begin(), sorted.end(), order);
}

}  // namespace

int compare_rows(const RowLayout& layout, const std::vector<SortKey>& keys, const std::byte* a,
                 const std::byte* b) {
  for (const SortKey& key : keys) {
    const bool first = layout.is_null(key.column, a);
    const bool second = layout.is_null(key.column, b);
    if (first || second) {
      if (first == second) continue;
      return first == key.nulls_first ? -1 : 1;
    }
    const int order = with_physical(layout.column(key.column).type.physical(), [&]<class T>() {
      return order_of(layout.at<T>(key.column, a), layout.at<T>(key.column, b));
    });
    if (order != 0) return key.descending ? -order : order;
  }
  return 0;
}

std::vector<std::byte*> sorted_rows(const Team& team, const Pipeline& input, const Sorting& plan,
                                    std::shared_ptr<Rows>& rows) {
  rows = std::make_shared<Rows>(plan.types, team.cores);
  std::vector<std::vector<Entry>> runs(static_cast<std::size_t>(team.cores));
  const RowOrder order(rows->layout, plan.keys);
  run(team, input, [&](int core) {
    const auto index = static_cast<std::size_t>(core);
    return std::make_unique<SortSink>(rows->sink(core, plan.columns), *rows->stores[index],
                                      runs[index], plan.most, order);
  });
  std::vector<Entry> merged = std::move(runs[0]);
  for (std::size_t i = 1; i < runs.size(); ++i) {
    if (runs[i].empty()) continue;
    std::vector<Entry> both(merged.size() + runs[i].size());
    std::merge(merged.begin(), merged.end(), runs[i].begin(), runs[i].end(), both.begin(), order);
    merged = std::move(both);
  }
  if (merged.size() > plan.most) merged.resize(plan.most);
  if (team.locales > 1) merge_locales(team, *rows, order, plan.most, merged);
  std::vector<std::byte*> sorted;
  sorted.reserve(merged.size());
  for (const Entry& entry : merged) sorted.push_back(entry.row);
  return sorted;
}

std::shared_ptr<Source> sort(const Team& team, const Pipeline& input, const Sorting& plan) {
  std::shared_ptr<Rows> rows;
  std::vector<std::byte*> order = sorted_rows(team, input, plan, rows);
  return ordered_rows_source(rows, std::move(order));
}

}  // namespace grappa::query
