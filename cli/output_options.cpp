#include "cli/output_options.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "grappa/base/error.hpp"
#include "grappa/base/metrics.hpp"
#include "grappa/parallel/runtime.hpp"

namespace grappa::cli {
namespace {

std::unique_ptr<graph::OutputFile> open_file(const std::string& path) {
  return path.empty() ? nullptr : std::make_unique<graph::OutputFile>(path);
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
                  "write the metrics of the run as one JSON object");
  }
  line.add_switch(kOutputGroup, "-q,--quiet", quiet_, "print nothing but errors");
}

void OutputOptions::add_plot(CommandLine& line) {
  line.add_text(kOutputGroup, "--plot", "FILE", plot_path_,
                "draw the figure as SVG; - is standard output");
}

int OutputOptions::on_standard_output() const {
  return (values_path_ == "-") + (json_path_ == "-") + (metrics_path_ == "-") + (plot_path_ == "-");
}

bool OutputOptions::wants_summary() const { return !quiet_ && on_standard_output() == 0; }

void OutputOptions::open() {
  if (on_standard_output() > 1) {
    throw UsageError(
        "-o, --json, --stats-json, --plot: only one of them can be - (standard output)");
  }
  values_ = open_file(values_path_);
  json_ = open_file(json_path_);
  metrics_ = open_file(metrics_path_);
  plot_ = open_file(plot_path_);
}

void OutputOptions::write_json(const nlohmann::json& object) {
  json_->write(object.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  json_->write("\n");
}

void OutputOptions::write_plot(std::string_view document) { plot_->write(document); }

void OutputOptions::take_metrics() {
  if (metrics_ == nullptr) return;
  metrics_->write(to_json(metrics_snapshot()));
  metrics_->write("\n");
}

void OutputOptions::commit() {
  for (const auto* file : {&values_, &json_, &metrics_, &plot_}) {
    if (*file != nullptr) (*file)->commit();
  }
}

}  // namespace grappa::cli
