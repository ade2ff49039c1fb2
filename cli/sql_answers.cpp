#include "cli/sql_answers.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <string_view>
#include <utility>

#include "cli/standard_output.hpp"
#include "grappa/base/output_path.hpp"
#include "grappa/base/printable.hpp"
#include "grappa/io/runtime_parallel_for.hpp"
#include "grappa/transport/mpi/launcher.hpp"

namespace grappa::cli {
namespace {

/// Where a person sees standard output. Open MPI's launcher reads what its processes write by a
/// terminal of its own, wherever that goes.
bool shows_answers() {
  return isatty(STDOUT_FILENO) != 0 && !internal::find_launch(MpiChoice::kAuto);
}

/// Where a person would see the bytes of the file.
bool is_terminal(const io::OutputFile& file) {
  return isatty(internal::descriptor_of(internal::follow_links(file.path())).value_or(-1)) != 0;
}

query::RowFormat format_of(const std::string& format, const io::OutputFile* file) {
  if (format != "auto") return query::format_named(format);
  if (file == nullptr) return {};
  if (const std::string_view ending = query::unknown_ending(file->path()); !ending.empty())
    throw UsageError(
        fmt::format("{}: {} is no format that is written; --output csv or another names one",
                    file->path(), ending));
  return query::format_by_name(file->path());
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
  if (format == "box" || (format == "auto" && file == nullptr && shows_answers()))
    return query::box_writer(std::move(sink), box_style());
  const query::RowFormat chosen = format_of(format, file);
  if (chosen.is_parquet()) {
    if (file == nullptr || is_terminal(*file))
      throw UsageError("Parquet is not for the eye: name a file for it; -o - is a pipe's");
    if (file->bytes() > 0)
      throw UsageError(
          fmt::format("{}: a Parquet file has one answer, this is the second", file->path()));
  }
  return query::row_writer(chosen, std::move(sink), io::runtime_parallel_for());
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
