#pragma once

// Whether a text has nothing but ASCII, which is UTF-8 and quicker to see.
//
//   if (is_ascii(text) || io::is_valid_utf8(text)) use(text);

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace grappa::query {

inline bool is_ascii(std::string_view text) {
  constexpr std::size_t kWords = 8;
  std::uint64_t words[kWords];
  std::uint64_t all = 0;
  while (text.size() >= sizeof words) {
    std::memcpy(words, text.data(), sizeof words);
    for (const std::uint64_t word : words) all |= word;
    text.remove_prefix(sizeof words);
  }
  while (text.size() >= sizeof all) {
    std::memcpy(words, text.data(), sizeof all);
    all |= words[0];
    text.remove_prefix(sizeof all);
  }
  for (const char c : text) all |= static_cast<unsigned char>(c);
  return (all & 0x8080808080808080) == 0;
}

}  // namespace grappa::query
