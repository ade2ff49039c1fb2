#include "grappa/query/io/text_format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "grappa/io/text/text_line.hpp"

namespace grappa::query {

std::vector<std::string> distinct_names(std::vector<std::string> names) {
  std::set<std::string> taken;
  const std::size_t width = names.size() < 2 ? 1 : fmt::format("{}", names.size() - 1).size();
  for (std::size_t c = 0; c < names.size(); ++c) {
    if (names[c].empty()) names[c] = fmt::format("column{:0{}}", c, width);
    const std::string name = names[c];
    for (int copy = 1; !taken.insert(io::lower(names[c])).second; ++copy)
      names[c] = fmt::format("{}_{}", name, copy);
  }
  return names;
}

const char* first_row(std::string_view text, const TextOptions& options, const TextFormat& format) {
  std::size_t at = text.starts_with("\xef\xbb\xbf") ? 3 : 0;
  for (std::int64_t lines = options.skip; lines > 0 && at < text.size(); --lines)
    at = std::min(text.find('\n', at), text.size() - 1) + 1;
  const char* const begin = text.data() + at;
  if (!format.has_header) return begin;
  CsvRows rows(text, begin, format.dialect);
  TextField first;
  // A row of which the text has only a part counts as a header, too.
  while (rows.next(&first, 1, 1) == 1 && first.is_blank()) {
  }
  return rows.position();
}

}  // namespace grappa::query
