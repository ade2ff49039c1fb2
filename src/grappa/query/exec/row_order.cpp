#include "grappa/query/exec/row_order.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <string_view>
#include <type_traits>

namespace grappa::query {
namespace {

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

std::uint64_t prefix_of_null(const SortKey& key) { return key.nulls_first ? 0 : ~std::uint64_t{0}; }

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

std::vector<std::uint64_t> RowOrder::prefixes(const std::byte* row) const {
  std::vector<std::uint64_t> made;
  for (const SortKey& key : keys_) made.push_back(prefix(key, row));
  return made;
}

std::size_t RowOrder::select_before(const std::vector<std::uint64_t>& prefixes,
                                    const std::vector<const Vector*>& columns, const Batch& batch,
                                    Position* selected) const {
  // Of each row whether it passes; and the rows that are like the given one so far.
  std::array<bool, kBatchRows> passes;
  std::array<Position, kBatchRows> like;
  std::size_t likes = 0;
  batch.for_each([&](std::size_t row) {
    passes[row] = false;
    like[likes++] = static_cast<Position>(row);
  });
  for (std::size_t k = 0; k < keys_.size() && likes > 0; ++k) {
    const SortKey& key = keys_[k];
    const Vector& column = *columns[k];
    const std::uint64_t bound = prefixes[k];
    const std::uint64_t of_null = prefix_of_null(key);
    const std::uint64_t flips = key.descending ? ~std::uint64_t{0} : 0;
    std::size_t left = 0;
    with_physical(column.type.physical(), [&]<class T>() {
      // Otherwise more bits would tell; or it may be a NULL, which has those of some value.
      const bool is_exact =
          std::is_integral_v<T> && sizeof(T) <= 8 && bound != 0 && bound != ~std::uint64_t{0};
      for (std::size_t i = 0; i < likes; ++i) {
        const Position row = like[i];
        const std::uint64_t found =
            column.is_valid(row) ? prefix_of(column.at<T>(row)) ^ flips : of_null;
        passes[row] = found < bound || (found == bound && !is_exact);
        like[left] = row;
        left += found == bound && is_exact ? 1 : 0;
      }
    });
    likes = left;
  }
  std::size_t count = 0;
  batch.for_each([&](std::size_t row) {
    selected[count] = static_cast<Position>(row);
    count += passes[row] ? 1 : 0;
  });
  return count;
}

std::uint64_t RowOrder::prefix(const SortKey& key, const std::byte* row) const {
  if (layout_.is_null(key.column, row)) return prefix_of_null(key);
  const std::uint64_t prefix =
      with_physical(layout_.column(key.column).type.physical(), [&]<class T>() {
        T value;
        std::memcpy(&value, row + layout_.column(key.column).offset, sizeof value);
        return prefix_of(value);
      });
  return key.descending ? ~prefix : prefix;
}

SortEntry RowOrder::entry(std::byte* row) const {
  return {keys_.empty() ? 0 : prefix(keys_[0], row), row};
}

}  // namespace grappa::query
