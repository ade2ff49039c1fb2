// grappa sort: the lines or records of files, in order.

#include <fmt/format.h>

#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.hpp"
#include "cli/output_options.hpp"
#include "cli/run_report.hpp"
#include "grappa/base/error.hpp"
#include "grappa/grappa.hpp"
#include "grappa/mapreduce/sort/sort_text.hpp"

namespace grappa::cli {
namespace {

constexpr const char* kSortDescription =
    "Sorts the lines of all files into one, in the order of their bytes, as LC_ALL=C sort does; or "
    "with --column N, by the number in column N (integers of up to 64 bits exactly, others in "
    "double precision), and where that is the same by their bytes; or with --records, records of "
    "100 bytes (those of the benchmark TeraSort) by their bytes, the first ten of which are the "
    "key.\n\n"
    "All is done in memory. A byte order mark in front of a text is left out. Files may be plain, "
    ".gz or .zst. -o is compressed if it ends in .gz or .zst, and appears when it is complete.";

class Sort {
 public:
  int execute(const Arguments& arguments);

 private:
  void take_options();
  void run_task();

  mapreduce::SortOptions options_;
  int column_ = 0;
  bool records_ = false;
  std::string separator_;
  OutputOptions output_;
  std::optional<Report> report_;
};

int Sort::execute(const Arguments& arguments) {
  CommandLine line("sort", "FILE... -o OUT", kSortDescription);
  line.add_positionals("FILE", options_.paths, "text, plain, .gz or .zst; - for standard input");
  line.add_count("Order", "--column", "N", column_, 0, 1'000'000,
                 "by the number in column N, from 1; 0: by all bytes");
  line.add_text("Order", "--separator", "C", separator_,
                "one character between columns, or tab; else blanks and tabs");
  line.unused_when("--separator", [this] { return column_ == 0 ? "there is no --column" : ""; });
  line.add_switch("Order", "--records", records_, "records of 100 bytes instead of lines");
  line.add_switch("Order", "--reverse", options_.reverse, "the greatest first");
  line.add_count("Order", "--skip-bad-records", "N", options_.skip_bad_records, 0,
                 std::numeric_limits<std::int64_t>::max(),
                 "leave out up to N lines without a number in that column");
  line.unused_when("--skip-bad-records",
                   [this] { return column_ == 0 ? "there is no --column" : ""; });
  output_.add_options(line, OutputOptions::kValues, "what is sorted");
  if (!line.parse(arguments)) return 0;
  take_options();
  output_.open_for_run(line.config(), options_.paths);
  report_.emplace(!output_.wants_summary(), output_.quiet());
  report_->set("/kernel", "sort");
  run(line.config(), [this] { run_task(); });
  output_.commit(*report_);
  return 0;
}

void Sort::take_options() {
  if (!output_.has_values()) throw UsageError("-o: give the file to write; - is standard output");
  if (records_ && column_ > 0) throw UsageError("--records and --column: give one of them");
  if (separator_ == "tab") separator_ = "\t";
  if (separator_.size() > 1) throw UsageError("--separator: give one character, or tab");
  using By = mapreduce::SortOptions::By;
  options_.by = records_ ? By::kRecords : column_ > 0 ? By::kNumber : By::kBytes;
  if (column_ > 0) options_.column = column_;
  if (!separator_.empty()) options_.separator = separator_[0];
}

void Sort::run_task() {
  print_cores(*report_);
  options_.progress = [this](std::string_view step, double fraction) {
    report_->progress().show(step, fraction);
  };
  const mapreduce::SortSummary sorted = mapreduce::sort_text(options_, *output_.values());
  report_->progress().clear();
  report_->line(records_ ? "Records" : "Lines", "{}, {} bytes", fact("records", sorted.records),
                fact("bytes", sorted.bytes));
  if (options_.skip_bad_records > 0)
    report_->line("Skipped", "{} lines", fact("skipped", sorted.skipped));
  report_->line("Load time", "{}", seconds_fact("/load_seconds", sorted.read_seconds));
  report_->line("Sort time", "{}", format_seconds(sorted.sort_seconds));
  report_->line("Write time", "{}", seconds_fact("write_seconds", sorted.write_seconds));
  report_->at("/trials").push_back({{"seconds", sorted.sort_seconds}});
  output_.take_metrics("sort", *report_);
}

}  // namespace

int run_sort(const Arguments& arguments) {
  Sort sort;
  return sort.execute(arguments);
}

}  // namespace grappa::cli
