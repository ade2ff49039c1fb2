#pragma once

// Text in columns, as a dataset of rows.
//
//   const auto ages = read_csv({"people.csv"}, {.header = true}).map([](const CsvRow& row) {
//     return number_at(row, 2);
//   });
//
// A row is its fields: what is between separators, without the blanks around it; in quotes it may
// have separators, and "" for a quote, but no line feeds. Blank lines are left out. A row is valid
// while the function runs that is given it; where it is kept, it is a std::vector<std::string>.
//
// Errors: those of read_lines (dataset.hpp); and BadRecord, hence the error of the record, for a
// quote that is not closed, a column that is not there, and what is no finite number.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "grappa/io/text/fields.hpp"
#include "grappa/mapreduce/bad_record.hpp"
#include "grappa/mapreduce/dataset.hpp"

namespace grappa::mapreduce {

using CsvRow = std::vector<std::string_view>;

/// The fields of a row; columns count from 0.
std::string_view text_at(const CsvRow& row, std::size_t column);
double number_at(const CsvRow& row, std::size_t column);

/// The finite number that the text is. BadRecord.
double number_of(std::string_view text);

struct CsvOptions {
  char separator = ',';  // ' ': any blanks and tabs
  bool header = false;   // the first line of each file that is not blank is no row
  std::int64_t skip_bad_records = 0;
};

namespace detail {

/// A source of rows.
struct CsvSource {
  using Value = const CsvRow&;
  LinesSource lines;
  char separator;

  void prepare() const { lines.prepare(); }
  std::int64_t finish() const { return lines.finish(); }
  template <class Sink>
  void run(Sink& sink) const {
    const io::FieldRules rules{.separator = separator, .quotes = true, .comments = ""};
    io::FieldSplitter splitter(rules);
    auto each = [&](std::string_view line) {
      if (io::is_blank_or_comment(line, rules)) return;
      const std::string problem = splitter.split(line);
      if (!problem.empty()) throw BadRecord(problem);
      sink(splitter.fields());
    };
    lines.run(each);
  }
};

}  // namespace detail

Dataset<CsvRow, detail::CsvSource> read_csv(const std::vector<std::string>& paths,
                                            CsvOptions options = {});

}  // namespace grappa::mapreduce
