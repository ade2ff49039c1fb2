#pragma once

// Rows as bytes: CSV, JSON, Parquet, or a box for the eye.
//
//   const auto writer = csv_writer([&](std::string_view text) { out.write(text); });
//   writer->begin({"id", "name"}, {kInt64, kText});
//   for (const Batch& batch : batches) writer->rows(batch);
//   writer->end();
//
// As texts, values are as value_text.hpp has them. For one core.

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grappa/io/parallel_for.hpp"
#include "grappa/query/io/parquet/metadata.hpp"
#include "grappa/query/type.hpp"
#include "grappa/query/vector.hpp"

namespace grappa::query {

using TextSink = std::function<void(std::string_view)>;
/// About so many bytes come at once.
inline constexpr std::size_t kTextPiece = std::size_t{1} << 16;

class RowWriter {
 public:
  RowWriter() = default;
  RowWriter(const RowWriter&) = delete;
  RowWriter& operator=(const RowWriter&) = delete;
  virtual ~RowWriter() = default;

  virtual void begin(const std::vector<std::string>& names, const std::vector<Type>& types) = 0;
  virtual void rows(const Batch& batch) = 0;
  virtual void end() = 0;
};

struct CsvStyle {
  char delimiter = ',';
  bool header = true;
  char quote = '"';
  std::optional<char> escape = {};  // before quotes, and itself, in quotes; else the quote
  std::string null_text = {};
};
/// RFC 4180 with line feeds. A text that is empty, and all that could be read as something else, is
/// in quotes.
std::unique_ptr<RowWriter> csv_writer(TextSink sink, CsvStyle style = {});

/// An object a row: on lines of their own, or as elements of one array. Numbers and booleans are
/// such, but inf and nan, as all other values, are strings.
std::unique_ptr<RowWriter> json_lines_writer(TextSink sink);
std::unique_ptr<RowWriter> json_array_writer(TextSink sink);

/// Row groups of up to kBlockRows, made on all cores of the locale and kept in order. UsageError
/// for an interval that is negative or has parts of a millisecond, which Parquet has not. Switches
/// tasks.
std::unique_ptr<RowWriter> parquet_writer(TextSink sink, io::ParallelFor parallel,
                                          parquet::Codec codec);

struct BoxStyle {
  std::size_t rows = 40;    // that are shown; of more, the first and the last ones
  std::size_t width = 120;  // in places of a terminal; texts are cut, and columns left out, to fit
};
/// Names and types above, numbers to the right; everything is written at the end.
std::unique_ptr<RowWriter> box_writer(TextSink sink, BoxStyle style = {});

}  // namespace grappa::query
