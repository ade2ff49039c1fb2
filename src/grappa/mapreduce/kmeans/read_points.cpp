#include <fmt/format.h>

#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "grappa/base/error.hpp"
#include "grappa/io/compression/compression.hpp"
#include "grappa/io/text/parse_number.hpp"
#include "grappa/io/text/text_line.hpp"
#include "grappa/mapreduce/bad_record.hpp"
#include "grappa/mapreduce/csv.hpp"
#include "grappa/mapreduce/dataset.hpp"
#include "grappa/mapreduce/internal/sources.hpp"
#include "grappa/mapreduce/internal/stage.hpp"
#include "grappa/mapreduce/kmeans/internal/point_file.hpp"
#include "grappa/mapreduce/kmeans/points.hpp"
#include "grappa/parallel/collectives.hpp"

namespace grappa::mapreduce {
namespace {

using Blocks = detail::CoreState<PointBlocks>;
using Files = LocaleState<detail::TextFiles>;

/// How the lines of a text are divided.
struct Columns {
  char separator = ',';  // ' ': blanks and tabs, any number of them
  int count = 0;
  bool has_header = false;
};

/// Takes the next field off the line.
std::string_view next_field(std::string_view& line, char separator) {
  if (separator == ' ') line = io::trimmed(line);
  const std::size_t end = separator == ' ' ? line.find_first_of(" \t") : line.find(separator);
  const std::string_view field = line.substr(0, end);
  line.remove_prefix(end == std::string_view::npos ? line.size() : end + 1);
  return io::trimmed(field);
}

/// Also one that is refused, such as nan.
bool is_a_number(std::string_view text) {
  return io::number_in(text).form != io::TextNumber::Form::kNone;
}

int count_fields(std::string_view line, char separator) {
  int count = 1;
  for (next_field(line, separator); !line.empty(); next_field(line, separator)) ++count;
  return count;
}

/// Of those that are not blank.
std::string_view first_line(std::string_view text, const std::string& file) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  const std::size_t at = text.find_first_not_of(" \t\r\n");
  if (at == std::string_view::npos) throw InputError(file, 0, "has no points");
  const std::size_t feed = text.rfind('\n', at);
  return io::line_from(text.data() + (feed == std::string_view::npos ? 0 : feed + 1),
                       text.data() + text.size());
}

Columns columns_of(std::string_view text, const std::string& file) {
  const std::string_view line = first_line(text, file);
  Columns columns;
  columns.separator = ' ';
  for (const char separator : {'\t', ',', ';'}) {
    if (line.find(separator) != std::string_view::npos) columns.separator = separator;
  }
  columns.count = count_fields(line, columns.separator);
  columns.has_header = true;
  std::string_view rest = line;
  for (int i = 0; i < columns.count; ++i)
    columns.has_header = columns.has_header && !is_a_number(next_field(rest, columns.separator));
  return columns;
}

/// The points of the lines of one core.
struct PointSink {
  PointBlocks blocks;
  Columns columns;
  std::vector<double> point;

  void operator()(std::string_view line) {
    if (io::trimmed(line).empty()) return;
    std::string_view rest = line;
    int count = 0;
    for (; count < columns.count && (count == 0 || !rest.empty()); ++count)
      point[static_cast<std::size_t>(count)] = number_of(next_field(rest, columns.separator));
    if (count < columns.count || !rest.empty()) {
      throw BadRecord(fmt::format("{}, {} expected as in the first line",
                                  io::counted(count_fields(line, columns.separator), "column"),
                                  columns.count));
    }
    blocks.add(point.data());
  }
};

std::int64_t read_text(const ReadPointsOptions& options, const Blocks& blocks, int& dimensions) {
  const Owned<Files> files =
      detail::open_text_files(options.paths, {.in_order = true}, options.progress);
  const Columns columns = columns_of((*files)->beginning(), options.paths.front());
  dimensions = columns.count;
  const Owned<detail::RecordErrors> errors = detail::RecordErrors::create(options.skip_bad_records);
  if (columns.has_header) on_all_locales([files = *files] { files->leave_out_headers(); });
  return detail::run_stage(
      detail::LinesSource{*errors, *files},
      [columns] {
        return PointSink{PointBlocks(columns.count), columns,
                         std::vector<double>(static_cast<std::size_t>(columns.count))};
      },
      [blocks](PointSink& sink) {
        sink.blocks.fill_up();
        blocks.mine() = std::move(sink.blocks);
      });
}

}  // namespace

std::string points_format(const ReadPointsOptions& options) {
  if (options.format != "auto") return options.format;
  const std::string_view plain = io::without_compression(options.paths.front());
  for (const char* format : {"npy", "bin"}) {
    if (io::lower(plain).ends_with(fmt::format(".{}", format))) return format;
  }
  return "csv";
}

Owned<Points> read_points(const ReadPointsOptions& options) {
  Owned<Blocks> blocks = Blocks::create();
  int dimensions = options.columns;
  std::int64_t skipped = 0;
  const std::string format = points_format(options);
  if (format == "npy" || format == "bin") {
    detail::read_point_files(options.paths, format == "npy", *blocks, dimensions);
  } else {
    skipped = read_text(options, *blocks, dimensions);
  }
  if (options.skipped != nullptr) *options.skipped = skipped;
  const std::int64_t size = reduce_cores([blocks = *blocks] { return blocks.mine().size(); },
                                         std::int64_t{0}, std::plus<>());
  if (size == 0) throw InputError(options.paths.front(), 0, "has no points");
  return Points(blocks.release(), size, dimensions);
}

std::vector<double> collect(const Points& points) {
  const auto rows = detail::CoreState<detail::Bulk<double>>::create();
  const Owned owner(rows);
  on_all_cores([rows, points] {
    const PointBlocks& mine = points.mine();
    const auto dimensions = static_cast<std::size_t>(points.dimensions());
    rows.mine().reserve(static_cast<std::size_t>(mine.size()) * dimensions);
    for (std::int64_t i = 0; i < mine.size(); ++i)
      for (std::size_t d = 0; d < dimensions; ++d) rows.mine().push_back(mine.coordinate(i, d));
  });
  return from_cores<double>(rows).collect();
}

}  // namespace grappa::mapreduce
