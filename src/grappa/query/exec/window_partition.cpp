#include "grappa/query/exec/window_partition.hpp"

#include <algorithm>
#include <type_traits>

#include "grappa/parallel/cancellation.hpp"

namespace grappa::query {
namespace {

[[noreturn]] void throw_distance() {
  throw QueryError("the distance to the end of a frame has to be one from 0 on");
}

}  // namespace

WindowPartition::WindowPartition(const RowLayout& layout, std::span<std::byte* const> rows,
                                 const BoundWindow& function)
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

std::pair<std::size_t, std::size_t> WindowPartition::frame(std::size_t i) const {
  stop_if_cancelled();
  const WindowItem& item = *function_.item;
  const std::size_t begin = bound(item.begin, function_.begin_offset, i, true);
  const std::size_t end = bound(item.end, function_.end_offset, i, false);
  return {std::min(begin, end), std::max(std::min(begin, end), end)};
}

bool WindowPartition::are_peers(std::size_t a, std::size_t b) const {
  return function_.order.empty() || compare_rows(layout_, function_.order, rows_[a], rows_[b]) == 0;
}

std::int64_t WindowPartition::offset_of(std::size_t column, std::size_t i) const {
  const std::int64_t offset = layout_.at<std::int64_t>(column, rows_[i]);
  if (layout_.is_null(column, rows_[i]) || offset < 0) throw_distance();
  return offset;
}

std::size_t WindowPartition::bound(const FrameEnd& end, std::optional<std::size_t> offset,
                                   std::size_t i, bool is_begin) const {
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

std::size_t WindowPartition::groups_bound(const FrameEnd& end, std::optional<std::size_t> offset,
                                          std::size_t i, bool is_begin) const {
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
std::size_t WindowPartition::range_bound(const FrameEnd& end, std::optional<std::size_t> offset,
                                         std::size_t i, bool is_begin) const {
  if (!offset) return is_begin ? peer_begin_[i] : peer_end_[i];
  const SortKey& key = function_.order[0];
  if (layout_.is_null(key.column, rows_[i])) return is_begin ? peer_begin_[i] : peer_end_[i];
  const double here = value_of(key.column, i);
  const double sign = end.preceding == key.descending ? 1 : -1;
  const double limit = end.is_value ? value_of(*offset, i)
                                    : here + sign * static_cast<double>(offset_of(*offset, i));
  if (layout_.is_null(*offset, rows_[i]) || sign * (limit - here) < 0) throw_distance();
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

double WindowPartition::value_of(std::size_t column, std::size_t i) const {
  return with_physical(layout_.column(column).type.physical(), [&]<class T>() -> double {
    if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, Int128>) {
      return static_cast<double>(layout_.at<T>(column, rows_[i]));
    } else {
      throw QueryError("RANGE with a distance needs an ORDER BY of one number or date");
    }
  });
}

}  // namespace grappa::query
