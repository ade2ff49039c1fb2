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

}  // namespace grappa::internal
