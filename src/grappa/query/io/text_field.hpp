#pragma once

// A field of a row in a text file, where it stands there.
//
//   const TextField field{.begin = text, .size = 3, .is_quoted = false, .has_escapes = false};
//   use(field.raw());

#include <cstdint>
#include <string_view>

namespace grappa::query {

struct TextField {
  const char* begin = nullptr;
  std::uint32_t size = 0;  // within the quotes
  bool is_quoted = false;
  bool has_escapes = false;

  std::string_view raw() const { return {begin, size}; }
  bool is_blank() const { return size == 0 && !is_quoted; }
};

}  // namespace grappa::query
