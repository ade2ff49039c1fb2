#pragma once

// ShortString<N>: up to N characters in a fixed place, so that it can be sent, stored in global
// memory and used as a key like an integer.
//
//   using Word = ShortString<23>;                 // 24 bytes
//   auto counts = GlobalHashMap<Word, int64_t>::create();
//   counts.async_upsert("the", 1, std::plus<>{});
//
// Longer text is refused with UsageError, never cut. It may hold any bytes, also zeros. Ordered as
// std::string_view. A value: nothing suspends, any thread may copy it.

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ostream>
#include <string_view>
#include <type_traits>

namespace grappa {

namespace internal {
[[noreturn]] void throw_too_long(std::size_t size, std::size_t capacity);
}

/// Up to N characters, in place.
template <std::size_t N>
class ShortString {
  static_assert(N >= 1 && N <= UINT16_MAX);

 public:
  constexpr ShortString() = default;
  constexpr ShortString(std::string_view text) : size_(static_cast<Size>(text.size())) {
    if (text.size() > N) internal::throw_too_long(text.size(), N);
    std::copy_n(text.data(), text.size(), text_);
  }
  constexpr ShortString(const char* text) : ShortString(std::string_view(text)) {}

  constexpr std::string_view view() const { return {text_, size_}; }
  constexpr operator std::string_view() const { return view(); }
  constexpr std::size_t size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }
  static constexpr std::size_t capacity() { return N; }

  friend bool operator==(const ShortString& a, const ShortString& b) {
    // Unused characters are zero, so short strings are compared whole, in a few instructions.
    return a.size_ == b.size_ && std::memcmp(a.text_, b.text_, N <= 32 ? N : a.size_) == 0;
  }
  friend constexpr auto operator<=>(const ShortString& a, const ShortString& b) {
    return a.view() <=> b.view();
  }
  friend std::ostream& operator<<(std::ostream& out, const ShortString& s) {
    return out << s.view();
  }

 private:
  using Size = std::conditional_t<N <= UINT8_MAX, std::uint8_t, std::uint16_t>;

  char text_[N] = {};
  Size size_ = 0;
};

}  // namespace grappa
