#include "grappa/base/printable.hpp"

#include <fmt/format.h>

namespace grappa::internal {
namespace {

bool is_control(unsigned char byte) { return (byte < 0x20 && byte != '\t') || byte == 0x7f; }

// U+0080 ... U+009F, which some terminals take for escape sequences.
bool is_high_control(unsigned char first, unsigned char second) {
  return first == 0xc2 && second >= 0x80 && second < 0xa0;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : '\0');
    if (is_high_control(byte, next)) {
      out += fmt::format("\\x{:02x}\\x{:02x}", byte, next);
      ++i;
    } else if (is_control(byte)) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += text[i];
    }
  }
  return out;
}

std::string printable_lines(std::string_view text) {
  constexpr std::size_t kMaxBytes = 4096;
  const bool is_cut = text.size() > kMaxBytes;
  if (is_cut) {
    std::size_t size = kMaxBytes;
    // Not within a character of UTF-8, which has up to four bytes.
    while (size > kMaxBytes - 4 && (static_cast<unsigned char>(text[size]) & 0xc0) == 0x80) --size;
    text = text.substr(0, size);
  }
  std::string out;
  for (;;) {
    const std::size_t line = text.find('\n');
    out += printable(text.substr(0, line));
    if (line == std::string_view::npos) break;
    out += '\n';
    text.remove_prefix(line + 1);
  }
  return is_cut ? out + "…" : out;
}

}  // namespace grappa::internal
