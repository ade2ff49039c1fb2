#include "grappa/base/utf8.hpp"

#include <locale.h>
#include <wchar.h>

namespace grappa::internal {
std::size_t find_invalid_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Character character = decode_utf8(text.substr(at));
    if (character.code == 0 && text[at] != 0) return at;
    at += character.bytes;
  }
  return std::string_view::npos;
}

void append_utf8(std::uint32_t code, std::string& out) {
  if (code < 0x80) {
    out += static_cast<char>(code);
    return;
  }
  const int following = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  out += static_cast<char>(0xFF << (7 - following) | code >> (6 * following));
  for (int i = following - 1; i >= 0; --i) {
    out += static_cast<char>(0x80 | (code >> (6 * i) & 0x3F));
  }
}

int display_columns(std::uint32_t code) {
  // The locale in which the C library knows the characters of all scripts.
  static const locale_t unicode = ::newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
  if (code < 0x80 || unicode == nullptr) return 1;
  const locale_t before = ::uselocale(unicode);
  const int columns = ::wcwidth(static_cast<wchar_t>(code));
  ::uselocale(before);
  return columns < 0 ? 1 : columns;
}

}  // namespace grappa::internal
