#pragma once

// JSON whose objects go over several lines, or share one, as a text of as many bytes in which each
// object has a line of its own.
//
//   JsonLines lines;
//   if (!JsonLines::are_there(text)) lines.put(text.data(), bytes, text.size());
//
// What is between objects, and line feeds inside of them, become blanks and line feeds. Nothing is
// checked: who reads the lines does that. A text may come in parts. For one core.

#include <cstddef>
#include <string_view>

namespace grappa::query {

class JsonLines {
 public:
  /// Whether each object has a line already, as far as the beginning of a text shows.
  static bool are_there(std::string_view text);

  /// The next bytes of the text; `to` may be `from`.
  void put(const char* from, char* to, std::size_t bytes);

 private:
  /// Takes a byte; whether it is outside of all objects, or in one, but not in a string.
  enum class Place { kBetween, kInside, kString };
  Place take(char c);

  std::size_t depth_ = 0;  // of braces, and of brackets in these
  bool in_string_ = false;
  bool is_escaped_ = false;
};

}  // namespace grappa::query
