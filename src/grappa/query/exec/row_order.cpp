#include "grappa/query/exec/row_order.hpp"

#include <algorithm>
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

SortEntry RowOrder::entry(std::byte* row) const {
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

}  // namespace grappa::query
