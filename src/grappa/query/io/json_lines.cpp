#include "grappa/query/io/json_lines.hpp"

namespace grappa::query {

JsonLines::Place JsonLines::take(char c) {
  if (in_string_) {
    if (is_escaped_) {
      is_escaped_ = false;
    } else if (c == '\\') {
      is_escaped_ = true;
    } else if (c == '"') {
      in_string_ = false;
    }
    return Place::kString;
  }
  const bool was_inside = depth_ > 0;
  if (c == '"') {
    in_string_ = true;
    return Place::kString;
  }
  // The brackets of an array around the objects are between them.
  if (c == '{' || (c == '[' && was_inside)) ++depth_;
  if ((c == '}' || c == ']') && was_inside) --depth_;
  return was_inside || depth_ > 0 ? Place::kInside : Place::kBetween;
}

bool JsonLines::are_there(std::string_view text) {
  JsonLines lines;
  bool has_object = false;  // the line so far
  for (const char c : text) {
    const bool begins = lines.depth_ == 0;
    const Place place = lines.take(c);
    if (c == '\n' && place == Place::kInside) return false;
    if (c == '\n' && place == Place::kBetween) has_object = false;
    if (c != '{' || place != Place::kInside || !begins) continue;
    if (has_object) return false;
    has_object = true;
  }
  return true;
}

void JsonLines::put(const char* from, char* to, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) {
    char c = from[i];
    switch (take(c)) {
      case Place::kBetween:
        if (c == ',' || c == ' ' || c == '\t') c = '\n';
        break;
      case Place::kInside:
        if (c == '\n' || c == '\r') c = ' ';
        break;
      case Place::kString:
        break;
    }
    to[i] = c;
  }
}

}  // namespace grappa::query
