#include "grappa/query/sql/syntax_error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "grappa/base/utf8.hpp"

namespace grappa::query::sql {
namespace {

constexpr int kMostColumns = 100;  // of a line that is shown

/// A character of a line as a terminal shows it.
struct Shown {
  std::string text;
  int columns = 1;
};

Shown shown(const grappa::internal::Utf8Character& character, std::string_view bytes) {
  if (character.code == '\t') return {"\t", 1};
  const bool is_control =
      character.code < 0x20 || (character.code >= 0x7F && character.code < 0xA0);
  if (is_control) return {"?", 1};  // what is not UTF-8 has the code 0
  return {std::string(bytes), grappa::internal::display_columns(character.code)};
}

}  // namespace

struct SyntaxError::Place {
  Place(std::string_view text, Position position) {
    const std::size_t offset = std::min<std::size_t>(position.offset, text.size());
    const std::string_view before = text.substr(0, offset);
    line = std::count(before.begin(), before.end(), '\n') + 1;
    const std::size_t begin = before.rfind('\n') + 1;  // npos + 1 is 0
    std::string_view rest = text.substr(begin, text.find('\n', offset) - begin);
    if (rest.ends_with('\r')) rest.remove_suffix(1);

    std::vector<Shown> characters;
    std::size_t place = 0;  // of the caret among them
    const char* const caret = text.data() + offset;
    while (!rest.empty()) {
      const grappa::internal::Utf8Character character = grappa::internal::decode_utf8(rest);
      if (rest.data() < caret) ++place;
      characters.push_back(shown(character, rest.substr(0, character.bytes)));
      rest.remove_prefix(character.bytes);
    }
    column = static_cast<std::int64_t>(place) + 1;
    show(characters, place);
  }

  void show(const std::vector<Shown>& characters, std::size_t place) {
    // As much as fits, and not more than half of it before the place where that cuts nothing off.
    std::size_t begin = place;
    std::size_t end = place;
    int columns = 0;
    const auto add = [&](const Shown& character, int most) {
      const bool fits = columns + character.columns <= most;
      if (fits) columns += character.columns;
      return fits;
    };
    while (begin > 0 && add(characters[begin - 1], kMostColumns / 2)) --begin;
    while (end < characters.size() && add(characters[end], kMostColumns)) ++end;
    while (begin > 0 && add(characters[begin - 1], kMostColumns)) --begin;

    if (begin > 0) source += "…", pointer += ' ';
    for (std::size_t i = begin; i < end; ++i) {
      source += characters[i].text;
      if (i >= place) continue;
      // A tab below a tab is as wide as that.
      if (characters[i].text == "\t") {
        pointer += '\t';
      } else {
        pointer.append(static_cast<std::size_t>(characters[i].columns), ' ');
      }
    }
    if (end < characters.size()) source += "…";
    pointer += '^';
  }

  std::int64_t line;
  std::int64_t column;
  std::string source;
  std::string pointer;
};

SyntaxError::SyntaxError(std::string_view text, Position position, std::string_view message)
    : SyntaxError(Place(text, position), message) {}

SyntaxError::SyntaxError(const Place& place, std::string_view message)
    : UsageError(fmt::format("{}:{}: {}\n{}\n{}", place.line, place.column, message, place.source,
                             place.pointer)),
      line_(place.line),
      column_(place.column),
      message_(message) {}

}  // namespace grappa::query::sql
