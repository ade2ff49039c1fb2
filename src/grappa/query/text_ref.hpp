#pragma once

// TextRef: a text as a value of a column, in 16 bytes.
//
//   TextRef name("Grappa");                 // short: lies in the 16 bytes
//   if (name == TextRef("Grappa")) …        // mostly one comparison of two words
//
// Up to 12 bytes lie in it, with zeros behind them; a longer text lies elsewhere and outlives it,
// and its first four bytes are here, too, so that most comparisons end without looking there
// (T. Neumann, M. Freitag: "Umbra", CIDR 2020, 3.1). Texts are UTF-8 and compare by their bytes.

#include <algorithm>
#include <bit>
#include <compare>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace grappa::query {

class TextRef {
 public:
  static constexpr std::size_t kShort = 12;

  TextRef() = default;
  explicit TextRef(std::string_view text) {
    words_[0] = static_cast<std::uint32_t>(text.size());
    if (text.size() <= kShort) {
      if (!text.empty()) std::memcpy(bytes() + 4, text.data(), text.size());
    } else {
      std::memcpy(bytes() + 4, text.data(), 4);
      words_[1] = reinterpret_cast<std::uintptr_t>(text.data());
    }
  }

  std::size_t size() const { return static_cast<std::uint32_t>(words_[0]); }
  bool is_short() const { return size() <= kShort; }
  const char* data() const {
    return is_short() ? bytes() + 4 : reinterpret_cast<const char*>(words_[1]);
  }
  std::string_view view() const { return {data(), size()}; }
  /// The same text, whose bytes have been copied to `data`.
  TextRef moved_to(const char* data) const {
    TextRef moved = *this;
    if (!is_short()) moved.words_[1] = reinterpret_cast<std::uintptr_t>(data);
    return moved;
  }
  /// Length and first bytes; and, of a short one, the others.
  std::uint64_t head() const { return words_[0]; }
  std::uint64_t tail() const { return words_[1]; }

  friend bool operator==(const TextRef& a, const TextRef& b) {
    if (a.words_[0] != b.words_[0]) return false;
    if (a.words_[1] == b.words_[1]) return true;
    return !a.is_short() && std::memcmp(a.data(), b.data(), a.size()) == 0;
  }
  friend std::strong_ordering operator<=>(const TextRef& a, const TextRef& b) {
    const std::uint32_t first = a.ordered_prefix();
    const std::uint32_t second = b.ordered_prefix();
    if (first != second) return first <=> second;
    const std::size_t common = std::min(a.size(), b.size());
    const int order = common == 0 ? 0 : std::memcmp(a.data(), b.data(), common);
    return order != 0 ? order <=> 0 : a.size() <=> b.size();
  }

 private:
  static_assert(std::endian::native == std::endian::little);
  char* bytes() { return reinterpret_cast<char*>(words_); }
  const char* bytes() const { return reinterpret_cast<const char*>(words_); }
  std::uint32_t ordered_prefix() const {
    return __builtin_bswap32(static_cast<std::uint32_t>(words_[0] >> 32));
  }

  std::uint64_t words_[2] = {0, 0};
};
static_assert(sizeof(TextRef) == 16);

}  // namespace grappa::query
