#include "cli/output_options.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "cli/series_report.hpp"
#include "grappa/base/error.hpp"
#include "grappa/base/log.hpp"
#include "grappa/base/metrics.hpp"
#include "grappa/base/output_path.hpp"
#include "grappa/base/trace_file.hpp"
#include "grappa/parallel/runtime.hpp"

namespace grappa::cli {
namespace {

constexpr std::uint64_t kPlotPeriodNs = 10'000'000;

std::unique_ptr<io::OutputFile> open_file(const std::string& path) {
  return path.empty() ? nullptr : std::make_unique<io::OutputFile>(path);
}

bool is_standard_output(const std::string& path) {
  return internal::descriptor_of(internal::follow_links(path)) == STDOUT_FILENO;
}

}  // namespace

void OutputOptions::add_options(CommandLine& line, Kind kind, const std::string& lines) {
  if (kind == kValues) {
    line.add_text(kOutputGroup, "-o", "FILE", values_path_,
                  fmt::format("write {}; - is standard output", lines));
  }
  line.add_text(kOutputGroup, "--json", "FILE", json_path_,
                "write everything measured as one JSON object; - is standard output");
  if (kind != kSummaryOnly) {
    line.add_text(kOutputGroup, "--stats-json", "FILE", metrics_path_,
                  "write the metrics of the run, with the samples of --stats-every, as one JSON "
                  "object; - is standard output");
    add_plot(line, "tasks, messages and bytes over time");
  }
  line.add_switch(kOutputGroup, "-q,--quiet", quiet_, "print only errors and warnings");
}

void OutputOptions::add_plot(CommandLine& line, const std::string& what) {
  line.add_text(kOutputGroup, "--plot", "FILE", plot_path_,
                fmt::format("draw {} as SVG; - is standard output", what));
}

int OutputOptions::on_standard_output() const {
  int count = 0;
  for (const std::string* path : {&values_path_, &json_path_, &metrics_path_, &plot_path_})
    count += is_standard_output(*path);
  for (const io::NamedOutput& other : others_) count += is_standard_output(other.path);
  return count;
}

bool OutputOptions::wants_summary() const { return !quiet_ && on_standard_output() == 0; }

void OutputOptions::check(const Config& config, const std::vector<std::string>& inputs) const {
  std::vector<io::NamedOutput> outputs = {
      {"-o", values_path_},
      {"--json", json_path_},
      {"--stats-json", metrics_path_},
      {"--plot", plot_path_},
      {internal::trace_option(config.trace.c_str()), config.trace.c_str()}};
  outputs.insert(outputs.end(), others_.begin(), others_.end());
  if (on_standard_output() > 1) {
    std::string given;
    for (const io::NamedOutput& output : outputs) {
      if (!is_standard_output(output.path)) continue;
      given += given.empty() ? output.option : ", " + output.option;
    }
    throw UsageError(fmt::format("{}: only one of them can be - (standard output)", given));
  }
  outputs.push_back({"standard output", wants_summary() ? "-" : ""});
  io::check_outputs(outputs, inputs);
}

void OutputOptions::open(const Config& config, const std::vector<std::string>& inputs) {
  check(config, inputs);
  values_ = open_file(values_path_);
  json_ = open_file(json_path_);
  metrics_ = open_file(metrics_path_);
  plot_ = open_file(plot_path_);
}

void OutputOptions::open_for_run(Config& config, const std::vector<std::string>& inputs) {
  const bool samples = !metrics_path_.empty() || !plot_path_.empty();
  if (config.stats_every_ns != 0 && !samples)
    throw UsageError("--stats-every: give --stats-json FILE or --plot FILE for the samples, too");
  config.time_metrics = samples;
  if (!plot_path_.empty() && config.stats_every_ns == 0) config.stats_every_ns = kPlotPeriodNs;
  open(config, inputs);
}

void OutputOptions::take_metrics(const std::string& title, Report& report) {
  if (metrics_ == nullptr && plot_ == nullptr) return;
  const std::vector<LocaleSeries> series = run_series();
  const std::uint64_t asked = internal::here().locale.config.stats_every_ns;
  if (!series.empty() && series.front().period_ns > asked && !quiet_)
    internal::log_info("--stats-every: too many samples; one every {} s was kept",
                       static_cast<double>(series.front().period_ns) * 1e-9);
  if (plot_ != nullptr) report.chart() = series_chart(title, series);
  if (metrics_ == nullptr) return;
  auto object = nlohmann::ordered_json::parse(to_json(metrics_snapshot()));
  if (!series.empty()) object["series"] = series_json(series);
  metrics_->write(object.dump(2));
  metrics_->write("\n");
}

void OutputOptions::commit(const Report& report) {
  if (plot_ != nullptr) plot_->write(svg(report.chart()));
  if (json_ != nullptr) {
    json_->write(report.json().dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
    json_->write("\n");
  }
  for (const auto* file : {&values_, &json_, &metrics_, &plot_}) {
    if (*file != nullptr) (*file)->commit();
  }
}

}  // namespace grappa::cli
