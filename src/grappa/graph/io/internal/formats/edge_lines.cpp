#include "grappa/graph/io/internal/formats/edge_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "grappa/io/text/text_line.hpp"

namespace grappa::graph::io {
namespace {

bool is_separator(char c, const EdgeLineRules& rules) {
  return rules.separator == ' ' ? is_blank(c) : c == rules.separator;
}

// `p` if it is at the end of a line: the next line; else null.
const char* end_of_line(const char* p, const char* end) {
  if (p == end) return end;
  if (*p == '\n') return p + 1;
  if (*p == '\r' && p + 1 == end) return end;
  if (*p == '\r' && p[1] == '\n') return p + 2;
  return nullptr;
}

// The next line, or null if this one is too long, or several with carriage returns between them.
const char* next_line(const char* line, const char* p, const char* end,
                      const EdgeLineRules& rules) {
  const void* feed = std::memchr(p, '\n', static_cast<std::size_t>(end - p));
  const char* next = feed == nullptr ? end : static_cast<const char*>(feed) + 1;
  if (static_cast<std::size_t>(next - line) > rules.max_line_bytes) return nullptr;
  return has_lone_return({p, static_cast<std::size_t>(next - p)}) ? nullptr : next;
}

std::vector<std::string_view> columns_of(std::string_view line, const EdgeLineRules& rules) {
  if (rules.separator == ' ') return split_words(line);
  std::vector<std::string_view> columns;
  std::size_t begin = 0;
  while (begin <= line.size()) {
    const std::size_t end = std::min(line.find(rules.separator, begin), line.size());
    const std::vector<std::string_view> words = split_words(line.substr(begin, end - begin));
    columns.push_back(words.size() == 1 ? words.front() : line.substr(begin, end - begin));
    begin = end + 1;
  }
  return columns;
}

// The columns behind the prefix; empty with `message` set if the prefix is not there.
std::vector<std::string_view> columns_behind_prefix(std::string_view line,
                                                    const EdgeLineRules& rules,
                                                    std::string& message) {
  std::vector<std::string_view> columns = columns_of(line, rules);
  if (rules.prefix == '\0') return columns;
  if (columns.empty() || columns.front() != std::string_view(&rules.prefix, 1)) {
    message = fmt::format("expected a line '{} ...', found {}", rules.prefix, quoted(line));
    return {};
  }
  columns.erase(columns.begin());
  return columns;
}

std::string expected_columns(const EdgeLineRules& rules) {
  const char* names = rules.columns >= 3 ? "source, target, weight" : "source, target";
  return fmt::format("{} expected ({})", rules.columns, names);
}

}  // namespace

namespace detail {

const char* skip_line_without_edge(const char* line, const char* end, const EdgeLineRules& rules) {
  const char* p = skip_blanks(line);
  if (const char* next = end_of_line(p, end)) return next;
  if (rules.comments.find(*p) == std::string_view::npos) return nullptr;
  return next_line(line, p, end, rules);
}

const char* finish_line(const char* line, const char* p, const char* end, int columns,
                        const EdgeLineRules& rules) {
  while (true) {
    const char* behind = skip_blanks(p);
    if (const char* next = end_of_line(behind, end)) {
      return columns >= rules.columns ? next : nullptr;
    }
    if (rules.separator != ' ') behind = skip_padding(p, rules.separator);
    const bool separated = rules.separator == ' ' ? behind != p : is_separator(*behind, rules);
    if (!separated) return nullptr;
    if (columns >= rules.columns) {
      return rules.more_columns ? next_line(line, p, end, rules) : nullptr;
    }
    p = rules.separator == ' ' ? behind : behind + 1;
    while (end_of_line(p, end) == nullptr && !is_separator(*p, rules)) ++p;
    ++columns;
  }
}

std::vector<std::uint64_t> ids_of_line(std::string_view line, const EdgeLineRules& rules) {
  std::string message;
  std::vector<std::uint64_t> ids;
  for (const std::string_view word : columns_behind_prefix(line, rules, message)) {
    if (ids.size() == 2) break;
    if (const auto id = integer_of(word)) ids.push_back(*id);
  }
  return ids;
}

}  // namespace detail

std::string OneBased::refuse(std::uint64_t name) const {
  return fmt::format("vertex {} is not in 1 ... {}, as the header has it", name, vertices);
}

std::string ListedName::refuse(std::uint64_t name) const {
  return fmt::format("vertex {} is not listed in {}", name, file);
}

std::string describe_bad_line(std::string_view line, const EdgeLineRules& rules) {
  if (line.size() > rules.max_line_bytes) {
    return fmt::format("line longer than {} bytes", rules.max_line_bytes);
  }
  if (has_control_characters(line)) {
    return fmt::format("binary data, not text: {}", quoted(line));
  }
  if (has_lone_return(line)) return std::string(kLoneReturn);
  std::string message;
  const std::vector<std::string_view> columns = columns_behind_prefix(line, rules, message);
  if (!message.empty()) return message;
  for (std::size_t i = 0; i < std::min<std::size_t>(columns.size(), 2); ++i) {
    message = refuse_id(columns[i]);
    if (!message.empty()) return message;
  }
  const auto found = static_cast<std::int64_t>(columns.size());
  if (found < rules.columns) {
    return fmt::format("{}, {}", counted(found, "column"), expected_columns(rules));
  }
  if (found > rules.columns && !rules.more_columns) {
    return fmt::format("{}, {}", counted(found, "column"), expected_columns(rules));
  }
  if (rules.weighted) {
    message = rules.whole_weights ? refuse_whole_weight(columns[2], rules.least_weight)
                                  : refuse_weight(columns[2], rules.least_weight);
    if (!message.empty()) return message;
  }
  // An index 0 is not in the matrix, wherever it stands.
  if (rules.lower_triangle && *integer_of(columns[0]) > 0 &&
      *integer_of(columns[1]) > *integer_of(columns[0])) {
    return fmt::format(
        "row {}, column {} is above the diagonal; a symmetric file has the lower triangle only",
        columns[0], columns[1]);
  }
  return {};
}

}  // namespace grappa::graph::io
