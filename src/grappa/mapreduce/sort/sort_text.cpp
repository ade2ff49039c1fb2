#include "grappa/mapreduce/sort/sort_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "grappa/base/clock.hpp"
#include "grappa/base/error.hpp"
#include "grappa/io/text/parse_number.hpp"
#include "grappa/io/text/text_line.hpp"
#include "grappa/mapreduce/bad_record.hpp"
#include "grappa/mapreduce/csv.hpp"
#include "grappa/mapreduce/internal/sort_values.hpp"
#include "grappa/mapreduce/internal/sources.hpp"
#include "grappa/mapreduce/internal/steps.hpp"
#include "grappa/mapreduce/internal/terminals.hpp"
#include "grappa/mapreduce/internal/write_kept.hpp"
#include "grappa/mapreduce/sort/internal/text_bytes.hpp"
#include "grappa/mapreduce/sort/internal/text_record.hpp"
#include "grappa/parallel/collectives.hpp"

namespace grappa::mapreduce {
namespace {

using detail::TextRecord;
using Records = detail::CoreState<detail::Bulk<TextRecord>>;
using By = SortOptions::By;

constexpr std::size_t kRecordBytes = 100;

/// How a line becomes a record.
struct ToRecord {
  By by;
  int column;
  char separator;
  bool reverse;

  /// Of a line, or the bytes of a record.
  TextRecord operator()(std::string_view line) const {
    return by == By::kNumber ? by_number(line) : detail::text_record(line, reverse);
  }

 private:
  std::string_view field_of(std::string_view line) const {
    if (separator == ' ') {
      const std::vector<std::string_view> words = io::split_words(line);
      if (words.size() >= static_cast<std::size_t>(column))
        return words[static_cast<std::size_t>(column) - 1];
    } else {
      for (int i = 1; i < column && !line.empty(); ++i) {
        const std::size_t end = line.find(separator);
        line.remove_prefix(end == std::string_view::npos ? line.size() : end + 1);
      }
      if (!line.empty()) return io::trimmed(line.substr(0, line.find(separator)));
    }
    throw BadRecord(fmt::format("has no column {}", column));
  }

  TextRecord by_number(std::string_view line) const {
    const std::string_view field = field_of(line.substr(0, line.size() - line.ends_with('\r')));
    const double number = number_of(field);
    const std::optional<std::int16_t> rest = io::rounded_off(field, number);
    if (rest) return detail::number_record(line, number, *rest, reverse);
    throw BadRecord(
        fmt::format("{} is an integer of more than 64 bits, which would be rounded to compare it; "
                    "--skip-bad-records leaves out such lines",
                    io::quoted(field)));
  }
};

/// How it is written.
struct AppendRecord {
  bool is_line;

  void prefetch(const TextRecord& record) const {
    for (std::size_t at = 0; at < std::min<std::size_t>(record.size, 128); at += 64)
      __builtin_prefetch(record.data + at);
  }
  std::int64_t size(const TextRecord& record) const {
    return static_cast<std::int64_t>(record.size) + (is_line ? 1 : 0);
  }
  void operator()(std::string& text, const TextRecord& record) const {
    text.append(record.data, record.size);
    if (is_line) text += '\n';
  }
};

double seconds_since(std::uint64_t start) {
  return static_cast<double>(grappa::internal::now_ns() - start) * 1e-9;
}

std::function<void(double)> reading(const SortOptions& options) {
  if (!options.progress) return {};
  return [&options](double fraction) { options.progress("reading", fraction); };
}

/// Keeps what the source has at the cores, which each expect about so many; returns how many were
/// skipped.
template <class Source, class Expected>
std::int64_t keep_records(const Source& source, const SortOptions& options, Expected expected,
                          const Records& records) {
  const detail::MapStep<Source, ToRecord> pipeline{
      {source}, ToRecord{options.by, options.column, options.separator, options.reverse}};
  using Sink = detail::KeepSink<TextRecord>;
  return detail::run_stage(
      pipeline,
      [expected] {
        Sink sink;
        sink.values.reserve(static_cast<std::size_t>(expected()));
        return sink;
      },
      [records](Sink& sink) { records.mine() = std::move(sink.values); });
}

/// Sorts and writes what the cores have of the files.
template <class Files>
void sort_and_write(const Records& records, const LocaleState<Files>& files,
                    const SortOptions& options, io::OutputFile& out, SortSummary& summary) {
  summary.records = reduce_cores([records] { return std::ssize(records.mine()); }, std::int64_t{0},
                                 std::plus<>());
  std::uint64_t start = grappa::internal::now_ns();
  if (options.progress) options.progress("sorting", -1);
  const Owned shared = detail::share_texts(files);
  const Owned shuffle = detail::Shuffle<TextRecord, detail::TextBytes>::create({*shared});
  detail::sort_values(records, records, *shuffle,
                      detail::TextOrder{options.reverse, options.by == By::kNumber});
  summary.sort_seconds = seconds_since(start);
  start = grappa::internal::now_ns();
  if (options.progress) options.progress("writing", -1);
  detail::write_kept<TextRecord>(records, out, AppendRecord{options.by != By::kRecords});
  summary.bytes = out.bytes();
  summary.write_seconds = seconds_since(start);
}

}  // namespace

SortSummary sort_text(const SortOptions& options, io::OutputFile& out) {
  SortSummary summary;
  const std::uint64_t start = grappa::internal::now_ns();
  if (options.progress) options.progress("reading", -1);
  const Owned<Records> records = Records::create();
  const Owned<detail::RecordErrors> errors = detail::RecordErrors::create(options.skip_bad_records);
  const auto sort_kept = [&](const auto& files, std::int64_t skipped) {
    summary.skipped = skipped;
    summary.read_seconds = seconds_since(start);
    sort_and_write(*records, files, options, out, summary);
  };
  // The records refer to the files.
  if (options.by == By::kRecords) {
    const Owned files = detail::open_record_files(options.paths, kRecordBytes);
    const auto expected = [files = *files] { return files->size() / core_count() + 1; };
    sort_kept(*files,
              keep_records(detail::RecordsSource{*errors, *files}, options, expected, *records));
  } else {
    const Owned files = detail::open_text_files(options.paths, {.keep_returns = true, .keep = true},
                                                reading(options));
    const auto expected = [files = *files] { return files->expected_lines(); };
    sort_kept(*files,
              keep_records(detail::LinesSource{*errors, *files}, options, expected, *records));
  }
  return summary;
}

}  // namespace grappa::mapreduce
