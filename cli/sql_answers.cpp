#include "cli/sql_answers.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <string_view>
#include <utility>

#include "cli/standard_output.hpp"
#include "grappa/base/printable.hpp"

namespace grappa::cli {
namespace {

std::string format_for(const io::OutputFile* file) {
  const std::string_view path = file != nullptr ? std::string_view(file->path()) : "";
  for (const char* const ending : {"jsonl", "json", "tsv"})
    if (path.find(std::string(".") + ending) != std::string_view::npos) return ending;
  return file == nullptr && isatty(STDOUT_FILENO) != 0 ? "box" : "csv";
}

query::BoxStyle box_style() {
  query::BoxStyle style;
  winsize size{};
  constexpr std::size_t kLeastWidth = 40;
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= kLeastWidth)
    style.width = size.ws_col;
  return style;
}

}  // namespace

std::unique_ptr<query::RowWriter> sql_writer(const std::string& format, io::OutputFile* file,
                                             SqlProgress& progress) {
  query::TextSink sink = [&progress](std::string_view text) {
    progress.stop();
    standard_output().write(text);
  };
  if (file != nullptr) sink = [file](std::string_view text) { file->write(text); };
  const std::string chosen = format == "auto" ? format_for(file) : format;
  if (chosen == "box") return query::box_writer(std::move(sink), box_style());
  if (chosen == "json") return query::json_array_writer(std::move(sink));
  if (chosen == "jsonl") return query::json_lines_writer(std::move(sink));
  return query::csv_writer(std::move(sink), {.delimiter = chosen == "tsv" ? '\t' : ','});
}

std::int64_t show_answer(query::Answer& answer, query::RowWriter* writer) {
  std::int64_t rows = 0;
  if (writer != nullptr) writer->begin(answer.names, answer.types);
  answer.for_each_batch([&](const query::Batch& batch) {
    rows += static_cast<std::int64_t>(batch.count);
    if (writer != nullptr) writer->rows(batch);
  });
  if (writer != nullptr) writer->end();
  return rows;
}

void print_sql_error(const UsageError& error) {
  fmt::print(stderr, "grappa: {}\n", internal::printable_lines(error.what()));
}

}  // namespace grappa::cli
