#pragma once

// Lines cut into fields, the careful way: for CSV with quotes, for names that are strings, and for
// finding out at the start of a file which of these it has.
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

namespace grappa::graph::io {

struct FieldRules {
  char separator = ' ';              // ' ': any blanks and tabs; '\t' ',' ';': exactly one
  bool quotes = false;               // "fields" may be quoted, "" within them is a quote
  std::string_view comments = "#%";  // lines that begin with one of these are skipped
};

/// Whether the line has no edge: it is blank or a comment.
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

/// What the first lines of an edge list show.
struct ColumnSample {
  int columns = 0;                  // of the first line with an edge
  bool string_names = false;        // vertices are called by strings, not integers
  bool has_header = false;          // the first line names the columns
  std::vector<std::string> header;  // those names, lower case; empty without a header
};

/// Looks at the first lines of `text`, comments left out. Names are strings if most lines, and the
/// first of them, have something else than numbers in their first two fields. A first line of words
/// is a header if numbers follow it, or if the words are usual for columns ("source", "target",
/// ...).
ColumnSample sample_columns(std::string_view text, const FieldRules& rules);

/// Which columns hold what; 0 is the first.
struct ColumnRoles {
  int source = 0;
  int target = 1;
  int weight = 2;
  bool weight_is_named = false;  // the header calls it a weight
};
ColumnRoles column_roles(const ColumnSample& sample);

/// "column 3 (color) is ignored", for all columns but `used`; empty if there are no others.
std::string note_ignored_columns(const ColumnSample& sample, const std::vector<int>& used);

}  // namespace grappa::graph::io
