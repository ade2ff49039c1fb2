#include "grappa/query/io/display_width.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace grappa::query {
namespace {

struct CodePoints {
  char32_t first;
  char32_t last;
};
constexpr std::array kCombining{
    CodePoints{0x300, 0x36f},   CodePoints{0x483, 0x489},   CodePoints{0x591, 0x5bd},
    CodePoints{0x610, 0x61a},   CodePoints{0x64b, 0x65f},   CodePoints{0xe31, 0xe31},
    CodePoints{0xe34, 0xe3a},   CodePoints{0x200b, 0x200f}, CodePoints{0x20d0, 0x20f0},
    CodePoints{0xfe00, 0xfe0f}, CodePoints{0xfe20, 0xfe2f}};
constexpr std::array kWide{
    CodePoints{0x1100, 0x115f},   CodePoints{0x2e80, 0x303e},   CodePoints{0x3041, 0x33ff},
    CodePoints{0x3400, 0x4dbf},   CodePoints{0x4e00, 0xa4cf},   CodePoints{0xa960, 0xa97f},
    CodePoints{0xac00, 0xd7a3},   CodePoints{0xf900, 0xfaff},   CodePoints{0xfe30, 0xfe6f},
    CodePoints{0xff00, 0xff60},   CodePoints{0xffe0, 0xffe6},   CodePoints{0x1f300, 0x1f64f},
    CodePoints{0x1f680, 0x1f6ff}, CodePoints{0x1f900, 0x1f9ff}, CodePoints{0x20000, 0x3fffd}};

bool is_in(const auto& ranges, char32_t c) {
  return std::ranges::any_of(ranges,
                             [c](const CodePoints& r) { return r.first <= c && c <= r.last; });
}

std::size_t width_of(char32_t c) { return is_in(kCombining, c) ? 0 : is_in(kWide, c) ? 2 : 1; }

/// Takes the first character; what is no UTF-8 counts byte by byte.
char32_t take_character(std::string_view& text) {
  const auto first = static_cast<unsigned char>(text[0]);
  const std::size_t size = first < 0xc0 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  char32_t c = size == 1 ? first : first & (0x7fU >> size);
  for (std::size_t i = 1; i < size && i < text.size(); ++i)
    c = c << 6 | (static_cast<unsigned char>(text[i]) & 0x3fU);
  text.remove_prefix(std::min(size, text.size()));
  return c;
}

}  // namespace

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) width += width_of(take_character(text));
  return width;
}

std::string cut_to_width(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string(text);
  std::size_t left = width - std::min<std::size_t>(width, 1);
  std::string_view rest = text;
  while (!rest.empty()) {
    std::string_view behind = rest;
    const std::size_t next = width_of(take_character(behind));
    if (next > left) break;
    left -= next;
    rest = behind;
  }
  return std::string(text.substr(0, text.size() - rest.size())) + (width > 0 ? "…" : "");
}

}  // namespace grappa::query
