#pragma once

// Characters of UTF-8.
//
//   for (std::string_view rest = text; !rest.empty();) {
//     const Utf8Character character = decode_utf8(rest);  // {0xE9, 2} for "é"
//     rest.remove_prefix(character.bytes);
//   }
//   std::string out;
//   append_utf8(0xE9, out);   // "é"
//   display_columns(U'語');  // 2
//
// Thread and task safety: pure functions.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace grappa::internal {

struct Utf8Character {
  std::uint32_t code = 0;  // 0: a byte that is no UTF-8, or that is zero
  std::size_t bytes = 1;
};

/// The character at the beginning of `text`, which is not empty.
inline Utf8Character decode_utf8(std::string_view text) {
  constexpr std::array<std::uint32_t, 5> kLeast = {0, 0, 0x80, 0x800, 0x10000};
  const auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x80) return {first, 1};
  const std::size_t bytes = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < bytes) return {};
  std::uint32_t code = first & (0x7Fu >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xC0) != 0x80) return {};
    code = code << 6 | (byte & 0x3Fu);
  }
  const bool surrogate = code >= 0xD800 && code < 0xE000;
  if (code < kLeast[bytes] || code > 0x10FFFF || surrogate) return {};
  return {code, bytes};
}

/// The position of the first byte that is no UTF-8, or npos.
std::size_t find_invalid_utf8(std::string_view text);

/// Appends a character, which is at most 0x10FFFF and no surrogate.
void append_utf8(std::uint32_t code, std::string& out);

/// How many columns of a terminal a character takes: 0, 1 or 2; 1 where that is not known.
int display_columns(std::uint32_t code);

}  // namespace grappa::internal
