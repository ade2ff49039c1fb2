#include "grappa/query/io/csv_format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "grappa/base/error.hpp"
#include "grappa/io/text/text_line.hpp"

namespace grappa::query {
namespace {

constexpr std::size_t kSampleRows = 4096;
constexpr std::size_t kMostColumns = std::size_t{1} << 20;

struct Text {
  std::string_view bytes;
  bool is_all;  // else the beginning of a file
};

struct Sample {
  std::vector<std::vector<TextField>> rows;
  std::string_view problem;
  const char* position = nullptr;  // of the problem
};

/// Blank lines are no rows where rows have more than one field.
bool is_blank(const std::vector<TextField>& row) { return row.size() == 1 && row[0].is_blank(); }

Sample cut(const Text& from, const TextOptions& options, const CsvDialect& dialect) {
  const std::string_view text = from.bytes;
  Sample sample;
  CsvRows rows(text, first_row(text, options, {}), dialect);
  std::vector<TextField> fields(64);
  while (sample.rows.size() < kSampleRows) {
    const char* const begin = rows.position();
    std::size_t n = rows.next(fields.data(), 1, fields.size());
    if (n > fields.size() && n <= kMostColumns) {
      fields.resize(n);
      CsvRows again(text, begin, dialect);
      again.next(fields.data(), 1, n);
    }
    // A row that may be cut off is none.
    if (n == 0 || (!from.is_all && rows.position() == text.data() + text.size())) break;
    n = std::min(n, kMostColumns);
    sample.rows.emplace_back(fields.begin(), fields.begin() + static_cast<std::ptrdiff_t>(n));
  }
  if (from.is_all || rows.problem() != kUnclosedQuote) sample.problem = rows.problem();
  sample.position = rows.position();
  return sample;
}

/// How well rows agree, and on how many fields.
struct Agreement {
  double part = 0;  // of the rows
  std::size_t fields = 0;
};

Agreement agreement_of(const Sample& sample) {
  std::map<std::size_t, std::size_t> rows_with;
  std::size_t rows = 0;
  for (const auto& row : sample.rows) {
    if (is_blank(row)) continue;
    ++rows_with[row.size()];
    ++rows;
  }
  if (rows == 0) return {};
  const auto most = std::ranges::max_element(
      rows_with, {}, [](const auto& entry) { return std::pair(entry.second, entry.first); });
  return {static_cast<double>(most->second) / static_cast<double>(rows), most->first};
}

/// Whether fields are in single quotes, and none in double ones.
bool has_single_quotes(const Text& text, const TextOptions& options, char delimiter) {
  const Sample sample = cut(text, options, {delimiter, '\'', '\''});
  bool found = false;
  for (const auto& row : sample.rows) {
    for (const TextField& field : row) {
      if (field.raw().starts_with('"')) return false;
      found |= field.is_quoted;
    }
  }
  return found && sample.problem.empty();
}

CsvDialect detect_dialect(const Text& text, const TextOptions& options) {
  // No delimiter at all comes last: rows of one field agree with one another easily.
  std::vector<char> delimiters{',', '|', ';', '\t'};
  std::erase_if(delimiters, [&](char c) { return c == options.quote || c == options.escape; });
  if (options.delimiter) delimiters = {*options.delimiter};
  CsvDialect best{'\n', options.quote.value_or('"'), options.escape.value_or('"')};
  if (options.delimiter) best.delimiter = *options.delimiter;
  if (!options.escape) best.escape = best.quote;
  Agreement of_best;
  for (const char delimiter : delimiters) {
    CsvDialect dialect{delimiter, options.quote.value_or('"'), 0};
    if (!options.quote && has_single_quotes(text, options, delimiter)) dialect.quote = '\'';
    std::vector<char> escapes{dialect.quote};
    if (options.escape) {
      escapes = {*options.escape};
    } else if (dialect.quote != 0 &&
               text.bytes.find(std::string{'\\', dialect.quote}) != std::string_view::npos) {
      escapes.push_back('\\');
    }
    for (const char escape : escapes) {
      dialect.escape = escape;
      const Sample sample = cut(text, options, dialect);
      Agreement agreement = agreement_of(sample);
      if (!sample.problem.empty()) agreement.part /= 2;
      if (agreement.fields < 2 && !options.delimiter) continue;
      if (agreement.part < 0.5 && !options.delimiter) continue;
      if (std::pair(agreement.part, agreement.fields) > std::pair(of_best.part, of_best.fields)) {
        of_best = agreement;
        best = dialect;
      }
    }
  }
  return best;
}

/// The types of the columns by rows from `first` on.
std::vector<CandidateTypes> candidates_of(const Sample& sample, std::size_t first,
                                          std::size_t columns, const TextOptions& options,
                                          const CsvDialect& dialect) {
  std::vector<CandidateTypes> candidates(columns);
  std::string scratch;
  for (std::size_t r = first; r < sample.rows.size(); ++r) {
    const auto& row = sample.rows[r];
    for (std::size_t c = 0; c < std::min(columns, row.size()); ++c) {
      // An empty text may be a NULL as well.
      if (row[c].size == 0 || is_null(row[c], kText, options)) continue;
      const std::string_view text = text_of(row[c], dialect, scratch);
      if (!holds(candidates[c].best(), text)) candidates[c].narrow(text);
    }
  }
  return candidates;
}

bool is_header(const Sample& sample, const std::vector<CandidateTypes>& below,
               const TextOptions& options, const CsvDialect& dialect) {
  const auto of_first = [&](std::size_t c) {
    CandidateTypes types;
    std::string scratch;
    const TextField& field = sample.rows[0][c];
    if (!is_null(field, kText, options)) types.narrow(text_of(field, dialect, scratch));
    return types.best();
  };
  bool are_all_texts = true;
  bool first_are_texts = true;
  const std::size_t columns = std::min(below.size(), sample.rows[0].size());
  for (std::size_t c = 0; c < columns; ++c) {
    const Type type = below[c].best();
    const Type first = of_first(c);
    if (first.id != TypeId::kNull && !first.is_text()) first_are_texts = false;
    if (type.id == TypeId::kNull || type.is_text()) continue;
    are_all_texts = false;
    CandidateTypes both = below[c];
    std::string scratch;
    if (first.id == TypeId::kNull) continue;
    both.narrow(text_of(sample.rows[0][c], dialect, scratch));
    if (both.best().is_text()) return true;
  }
  return are_all_texts && first_are_texts;
}

std::vector<std::string> texts_of(const std::vector<TextField>& row, const CsvDialect& dialect) {
  std::vector<std::string> texts;
  std::string scratch;
  for (const TextField& field : row)
    texts.emplace_back(io::trimmed(text_of(field, dialect, scratch)));
  return texts;
}

}  // namespace

std::optional<TextFormat> detect_csv(std::string_view sample_text, bool is_all,
                                     const TextOptions& options, const std::string& file) {
  if (sample_text.starts_with("\xff\xfe") || sample_text.starts_with("\xfe\xff"))
    throw InputError(file, 1, "is in UTF-16; UTF-8 was expected");
  const Text text{sample_text, is_all};
  TextFormat format;
  format.dialect = detect_dialect(text, options);
  Sample sample = cut(text, options, format.dialect);
  const auto line_of = [&](const char* position) {
    return 1 + std::count(sample_text.data(), position, '\n');
  };
  std::size_t columns = agreement_of(sample).fields;
  if (columns != 1) std::erase_if(sample.rows, is_blank);
  if (sample.rows.empty()) {
    if (!sample.problem.empty()) throw InputError(file, line_of(sample.position), sample.problem);
    if (!is_all) return std::nullopt;
    throw InputError(file, 0, "has no rows");
  }
  const auto has_lone_return = [](const TextField& field) {
    return !field.is_quoted && io::has_lone_return(field.raw());
  };
  if (sample.rows.size() == 1 && std::ranges::any_of(sample.rows[0], has_lone_return))
    throw InputError(file, 1, io::kLoneReturn);

  const auto ends_blank = [&](const auto& row) {
    return row.size() == columns && row.back().is_blank();
  };
  // Behind the last delimiter of a row nothing comes; in its header, maybe, nothing either.
  format.ends_with_delimiter =
      columns > 1 &&
      std::ranges::all_of(sample.rows.begin() + (sample.rows.size() > 1 ? 1 : 0), sample.rows.end(),
                          ends_blank) &&
      (ends_blank(sample.rows[0]) || sample.rows[0].size() + 1 == columns);
  if (format.ends_with_delimiter) --columns;

  const auto below = candidates_of(sample, 1, columns, options, format.dialect);
  format.has_header = options.header.value_or(is_header(sample, below, options, format.dialect));
  format.candidates =
      format.has_header ? below : candidates_of(sample, 0, columns, options, format.dialect);
  if (format.has_header) format.names = texts_of(sample.rows[0], format.dialect);
  format.names.resize(columns);
  if (options.names.size() > columns) {
    throw InputError(file, 0,
                     fmt::format("has {}, and {} are named",
                                 io::counted(static_cast<std::int64_t>(columns), "column"),
                                 options.names.size()));
  }
  std::ranges::copy(options.names, format.names.begin());
  format.names = distinct_names(std::move(format.names));
  return format;
}

std::vector<std::string> header_of(std::string_view text, const TextOptions& options,
                                   const TextFormat& format) {
  const Sample sample = cut({text, true}, options, format.dialect);
  for (const auto& row : sample.rows) {
    if (!is_blank(row)) return texts_of(row, format.dialect);
  }
  return {};
}

}  // namespace grappa::query
