#pragma once

// Lines cut into fields, the careful way: for CSV with quotes, and for names that are strings.
//
//   FieldRules rules{.separator = ',', .quotes = true};
//   FieldSplitter splitter(rules);
//   std::string problem = splitter.split(line);       // "a quote is not closed", or empty
//   for (std::string_view field : splitter.fields()) use(field);

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace grappa::io {

struct FieldRules {
  char separator = ' ';              // ' ': any blanks and tabs; '\t' ',' ';': exactly one
  bool quotes = false;               // "fields" may be quoted, "" within them is a quote
  std::string_view comments = "#%";  // lines that begin with one of these are skipped
};

/// Whether the line has no fields: it is blank or a comment.
bool is_blank_or_comment(std::string_view line, const FieldRules& rules);

/// The fields of one line at a time. One thread at a time.
class FieldSplitter {
 public:
  explicit FieldSplitter(const FieldRules& rules) : rules_(rules) {}

  /// Returns what is wrong with the line, or nothing.
  std::string split(std::string_view line);
  /// The fields of the last line; valid until the next call, and as long as the line.
  const std::vector<std::string_view>& fields() const noexcept { return fields_; }

 private:
  std::string split_quoted(std::string_view line, std::size_t& position);

  FieldRules rules_;
  std::vector<std::string_view> fields_;
  std::deque<std::string> unescaped_;
};

}  // namespace grappa::io
