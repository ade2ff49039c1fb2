#pragma once

// Answers of queries as text, on standard output or in a file.
//
//   const auto writer = sql_writer("auto", file, progress);
//   const std::int64_t rows = show_answer(answer, writer.get());

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cli/sql_progress.hpp"
#include "grappa/base/error.hpp"
#include "grappa/io/output_file.hpp"
#include "grappa/query/database.hpp"
#include "grappa/query/io/row_format.hpp"

namespace grappa::cli {

/// And how rows are written to files.
inline const std::vector<std::string> kSqlFormats = [] {
  std::vector<std::string> formats = {"auto", "box"};
  formats.insert(formats.end(), query::kRowFormats.begin(), query::kRowFormats.end());
  return formats;
}();

/// A writer to standard output, or to the file where there is one. `format` is one of the above;
/// auto: a box on a terminal, else as the file's name says, else CSV. Before anything is written to
/// standard output, `progress` stops. UsageError where Parquet would be written to a terminal, or
/// behind something else. Within a run.
std::unique_ptr<query::RowWriter> sql_writer(const std::string& format, io::OutputFile* file,
                                             SqlProgress& progress);

/// Computes it, and counts its rows; they are written where there is a writer.
std::int64_t show_answer(query::Answer& answer, query::RowWriter* writer);

/// On standard error; with the place in the query, where there is one, on lines of its own.
void print_sql_error(const UsageError& error);

}  // namespace grappa::cli
