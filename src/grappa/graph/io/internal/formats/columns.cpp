#include "grappa/graph/io/internal/formats/columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <span>

#include "grappa/io/text/parse_number.hpp"
#include "grappa/io/text/text_line.hpp"

namespace grappa::graph::io {
namespace {

constexpr std::string_view kSourceNames[] = {"source",    "src", "from", "fromnodeid",
                                             "from_node", "u",   "start"};
constexpr std::string_view kTargetNames[] = {"target",   "dst",     "dest", "destination", "to",
                                             "tonodeid", "to_node", "v",    "end"};
constexpr std::string_view kWeightNames[] = {"weight", "w", "value", "distance", "length", "cost"};

// The first column with one of the names; -1 without one.
int column_named(const std::vector<std::string>& header, std::span<const std::string_view> names) {
  const auto found = std::find_if(header.begin(), header.end(), [&](const std::string& column) {
    return std::find(names.begin(), names.end(), column) != names.end();
  });
  return found == header.end() ? -1 : static_cast<int>(found - header.begin());
}

bool is_usual_header(const std::vector<std::string>& row) {
  return column_named(row, kSourceNames) >= 0 && column_named(row, kTargetNames) >= 0;
}

using Row = std::vector<std::string>;

// The fields of the first lines; a line that is damaged ends them, parsing will come to it.
std::vector<Row> first_rows(std::string_view text, const FieldRules& rules) {
  constexpr std::size_t kRows = 33;
  std::vector<Row> rows;
  FieldSplitter splitter(rules);
  while (!text.empty() && rows.size() < kRows) {
    const std::string_view line = line_from(text.data(), text.data() + text.size());
    const std::size_t feed = text.find('\n', line.size());
    text.remove_prefix(feed == std::string_view::npos ? text.size() : feed + 1);
    if (is_blank_or_comment(line, rules)) continue;
    if (!splitter.split(line).empty()) break;
    rows.emplace_back(splitter.fields().begin(), splitter.fields().end());
  }
  return rows;
}

bool has_numbers(const Row& row) {
  return row.size() >= 2 && looks_numeric(row[0]) && looks_numeric(row[1]);
}

bool has_strings(const Row& row) { return row.size() >= 2 && !has_numbers(row); }

}  // namespace

ColumnSample sample_columns(std::string_view text, const FieldRules& rules) {
  ColumnSample sample;
  const std::vector<Row> rows = first_rows(text, rules);
  if (rows.empty()) return sample;
  const Row& first = rows.front();
  const auto strings = std::count_if(rows.begin(), rows.end(), has_strings);
  const auto numbers = std::count_if(rows.begin(), rows.end(), has_numbers);
  // Some bad lines behind a good one with numbers are bad lines.
  constexpr std::ptrdiff_t kManyStrings = 8;
  sample.string_names = strings > numbers && (has_strings(first) || strings >= kManyStrings);

  std::vector<std::string> words(first.size());
  std::transform(first.begin(), first.end(), words.begin(), lower);
  const bool all_words =
      first.size() >= 2 && std::none_of(words.begin(), words.end(), looks_numeric);
  const bool numbers_follow = rows.size() > 1 && has_numbers(rows[1]);
  sample.has_header =
      all_words && ((numbers_follow && !sample.string_names) || is_usual_header(words));
  if (sample.has_header) sample.header = std::move(words);
  sample.columns = static_cast<int>(rows[sample.has_header && rows.size() > 1 ? 1 : 0].size());
  return sample;
}

ColumnRoles column_roles(const ColumnSample& sample) {
  ColumnRoles roles;
  if (!is_usual_header(sample.header)) return roles;
  roles.source = column_named(sample.header, kSourceNames);
  roles.target = column_named(sample.header, kTargetNames);
  const int weight = column_named(sample.header, kWeightNames);
  roles.weight_is_named = weight >= 0;
  roles.weight = weight;
  for (int column = 0; roles.weight < 0; ++column) {
    if (column != roles.source && column != roles.target) roles.weight = column;
  }
  return roles;
}

std::string note_ignored_columns(const ColumnSample& sample, const std::vector<int>& used) {
  std::vector<std::string> ignored;
  for (int column = 0; column < sample.columns; ++column) {
    if (std::find(used.begin(), used.end(), column) != used.end()) continue;
    const auto index = static_cast<std::size_t>(column);
    ignored.push_back(index < sample.header.size()
                          ? fmt::format("{} ({})", column + 1, quoted(sample.header[index]))
                          : fmt::format("{}", column + 1));
  }
  if (ignored.empty()) return {};
  if (ignored.size() == 1) return fmt::format("column {} is ignored", ignored.front());
  constexpr std::size_t kListed = 8;
  if (ignored.size() > kListed) {
    return fmt::format("{} columns are ignored, the first is {}", ignored.size(), ignored.front());
  }
  return fmt::format("columns {} are ignored", fmt::join(ignored, ", "));
}

}  // namespace grappa::graph::io
