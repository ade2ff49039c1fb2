#include "grappa/query/exec/ordered_bytes.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

namespace grappa::query {
namespace {

template <class Unsigned>
void append_big_endian(std::string& to, Unsigned value) {
  for (std::size_t i = sizeof value; i-- > 0;) to += static_cast<char>(value >> (8 * i) & 0xFF);
}

template <class T>
void append_value(std::string& to, const T& value) {
  if constexpr (std::is_same_v<T, TextRef>) {
    // A byte of zero is followed by another one; two of other kinds end the text.
    for (const char c : value.view()) {
      to += c;
      if (c == '\0') to += '\1';
    }
    to += '\0';
    to += '\0';
  } else if constexpr (std::is_same_v<T, Interval>) {
    append_value(to, value.length());
  } else if constexpr (std::is_floating_point_v<T>) {
    constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
    std::uint64_t bits = ~std::uint64_t{0};
    if (!std::isnan(value)) {
      bits = std::bit_cast<std::uint64_t>(value == 0 ? 0.0 : static_cast<double>(value));
      bits = (bits & kSign) != 0 ? ~bits : bits | kSign;
    }
    append_big_endian(to, bits);
  } else {
    __extension__ using Wide = unsigned __int128;
    using Unsigned = std::conditional_t<sizeof(T) == 16, Wide, std::uint64_t>;
    constexpr Unsigned kSign = Unsigned{1} << (8 * sizeof(Unsigned) - 1);
    append_big_endian(to, static_cast<Unsigned>(value) ^ kSign);
  }
}

}  // namespace

void append_ordered(std::string& to, const Vector& values, std::size_t row, bool descending,
                    bool nulls_first) {
  if (!values.is_valid(row)) {
    to += nulls_first ? '\0' : '\2';
    return;
  }
  to += '\1';
  const std::size_t begin = to.size();
  with_physical(values.type.physical(), [&]<class T>() { append_value(to, values.at<T>(row)); });
  if (!descending) return;
  for (std::size_t i = begin; i < to.size(); ++i) to[i] = static_cast<char>(~to[i]);
}

}  // namespace grappa::query
