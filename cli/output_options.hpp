#pragma once

// Where results go: -o, --json, --stats-json, --plot, --quiet.
//
//   OutputOptions output;
//   output.add_options(line, OutputOptions::kValues);
//   if (!line.parse(arguments)) return 0;
//   output.open(config, inputs);          // refuses names that cannot be written, before the work
//   …
//   output.commit(report);                // only now do the files appear, all of them whole
//
// Where one of them is "-", standard output belongs to it and the summary is not printed.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command_line.hpp"
#include "cli/report.hpp"
#include "grappa/io/output_check.hpp"
#include "grappa/io/output_file.hpp"

namespace grappa::cli {

inline constexpr const char* kOutputGroup = "Output";

class OutputOptions {
 public:
  /// What a command has to write besides its summary and --json.
  enum Kind : std::uint8_t {
    kValues,       // lines (-o), for each vertex mostly, and the metrics of its run (--stats-json)
    kMetrics,      // the metrics
    kSummaryOnly,  // nothing
  };
  /// `lines`: what -o writes, for help.
  void add_options(CommandLine& line, Kind kind, const std::string& lines = {});
  /// --plot FILE, for commands that draw `what`.
  void add_plot(CommandLine& line, const std::string& what);

  /// What the command writes besides, by itself; given before they are checked.
  void add_other(const io::NamedOutput& other) { others_.push_back(other); }

  /// Throws UsageError for names that are those of `inputs`, or of one another, the timeline of
  /// `config` or what the command writes besides.
  void check(const Config& config, const std::vector<std::string>& inputs) const;
  /// The same; also for names that cannot be created.
  void open(const Config& config, const std::vector<std::string>& inputs = {});
  /// As open(); `config` is changed to measure what is to be written about the run.
  void open_for_run(Config& config, const std::vector<std::string>& inputs);

  bool quiet() const { return quiet_; }
  bool wants_summary() const;

  /// Whether -o was given.
  bool has_values() const { return !values_path_.empty(); }
  /// For the lines of -o; null when it was not given.
  io::OutputFile* values() { return values_.get(); }
  /// Keeps the metrics and the samples of the run in which it is called, for --stats-json and, with
  /// `title`, as the figure of `report`.
  void take_metrics(const std::string& title, Report& report);

  /// With the JSON object and the figure of `report`.
  void commit(const Report& report);

 private:
  int on_standard_output() const;

  std::string values_path_;
  std::string json_path_;
  std::string metrics_path_;
  std::string plot_path_;
  std::vector<io::NamedOutput> others_;
  bool quiet_ = false;
  std::unique_ptr<io::OutputFile> values_;
  std::unique_ptr<io::OutputFile> json_;
  std::unique_ptr<io::OutputFile> metrics_;
  std::unique_ptr<io::OutputFile> plot_;
};

}  // namespace grappa::cli
