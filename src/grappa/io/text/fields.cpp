#include "grappa/io/text/fields.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "grappa/io/text/text_line.hpp"

namespace grappa::io {

bool is_blank_or_comment(std::string_view line, const FieldRules& rules) {
  const std::string_view text = trimmed(line);
  return text.empty() || rules.comments.find(text.front()) != std::string_view::npos;
}

std::string FieldSplitter::split(std::string_view line) {
  fields_.clear();
  unescaped_.clear();
  if (rules_.separator == ' ') {
    fields_ = split_words(line);
    return {};
  }
  std::size_t position = 0;
  while (true) {
    const std::size_t begin = line.find_first_not_of(' ', position);
    if (rules_.quotes && begin != std::string_view::npos && line[begin] == '"') {
      position = begin;
      std::string problem = split_quoted(line, position);
      if (!problem.empty()) return problem;
    } else {
      const std::size_t end = std::min(line.find(rules_.separator, position), line.size());
      fields_.push_back(trimmed(line.substr(position, end - position)));
      position = end;
    }
    if (position == line.size()) return {};
    ++position;
  }
}

// `position` is at the opening quote, and afterwards at the separator or the end.
std::string FieldSplitter::split_quoted(std::string_view line, std::size_t& position) {
  const std::size_t begin = position + 1;
  std::size_t quote = line.find('"', begin);
  bool escaped = false;
  while (quote != std::string_view::npos && quote + 1 < line.size() && line[quote + 1] == '"') {
    escaped = true;
    quote = line.find('"', quote + 2);
  }
  if (quote == std::string_view::npos) {
    return "a quoted field is not closed on its line";
  }
  std::string_view field = line.substr(begin, quote - begin);
  if (escaped) {
    std::string& copy = unescaped_.emplace_back();
    for (std::size_t i = 0; i < field.size(); ++i) {
      copy += field[i];
      if (field[i] == '"') ++i;
    }
    field = copy;
  }
  fields_.push_back(field);
  position = std::min(line.find_first_not_of(" \t", quote + 1), line.size());
  if (position < line.size() && line[position] != rules_.separator) {
    return fmt::format("expected '{}' behind the quoted field, found {}", rules_.separator,
                       quoted(line.substr(position)));
  }
  return {};
}

}  // namespace grappa::io
