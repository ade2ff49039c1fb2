// grappa-bench, which is what `grappa bench` runs: the benchmarks of the suite.

#include <fmt/format.h>

#include <algorithm>

#include "bench/measure.hpp"
#include "bench/options.hpp"
#include "bench/registry.hpp"
#include "cli/command_line.hpp"
#include "cli/completion.hpp"
#include "cli/output_options.hpp"
#include "cli/program.hpp"
#include "cli/standard_output.hpp"
#include "grappa/base/error.hpp"
#include "grappa/base/text_values.hpp"
#include "grappa/base/topology.hpp"

namespace grappa::bench {
namespace {

using cli::Arguments;
using cli::CommandLine;
using cli::OutputOptions;
using cli::standard_output;

constexpr std::size_t kColumn = 11;  // of values

void print_benchmarks() {
  cli::StandardOutput& out = standard_output();
  out.print("Usage: grappa bench NAME [options]\n\nBenchmarks:\n");
  for (const Benchmark* benchmark : benchmarks()) {
    out.print("  {:<18}{}\n", benchmark->name(), benchmark->summary());
  }
  out.print("\ngrappa bench NAME --help   its options, with their defaults\n");
}

Benchmark& find_benchmark(const std::string& name) {
  const auto all = benchmarks();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const auto* benchmark) { return benchmark->name() == name; });
  if (found != all.end()) return **found;
  std::vector<std::string_view> names;
  for (const Benchmark* benchmark : all) names.push_back(benchmark->name());
  throw UsageError(fmt::format("bench: {}: no such benchmark{} (grappa bench lists all)", name,
                               internal::nearest_hint(name, names)));
}

/// What the host of a virtual machine did to the trials: what it disturbs says little.
void report_rounds(Report& report) {
  const RoundCounts rounds = round_counts();
  report.set(
      "/rounds",
      {{"kept", rounds.kept}, {"repeated", rounds.repeated}, {"disturbed", rounds.disturbed}});
  if (rounds.repeated + rounds.disturbed == 0) return;
  report.line("Host",
              "took processor time from this machine: {} rounds of trials were repeated, {} of the "
              "{} that count were disturbed",
              rounds.repeated, rounds.disturbed, rounds.kept);
}

int run_benchmark(Benchmark& benchmark, const Arguments& arguments) {
  CommandLine line("bench " + benchmark.name(), "", benchmark.summary());
  Options options(line);
  benchmark.add_options(options);
  OutputOptions output;
  output.add_options(line, OutputOptions::kSummaryOnly);
  if (benchmark.draws()) output.add_plot(line, "the figure");
  if (!line.parse(arguments)) return 0;
  output.open(line.config());
  const Config& config = line.config();
  Report report(!output.wants_summary(), output.quiet(), kColumn);
  report.set("/kernel", benchmark.name());
  report.set("/cores",
             config.locales * internal::cores_of_each_locale(
                                  config, static_cast<int>(internal::usable_cpus().size())));
  report.set("/locales", config.locales);
  report.set("/trials", nlohmann::json::array());
  benchmark.run(config, report);
  report_rounds(report);
  output.commit(report);
  return 0;
}

void print_completion_tables() {
  std::vector<cli::CompletionEntry> names;
  for (Benchmark* benchmark : benchmarks()) {
    names.push_back({benchmark->name(), std::string(cli::kCommandValue), benchmark->summary()});
    run_benchmark(*benchmark, {std::string(cli::kCompletionTable)});
  }
  cli::print_completion_table("bench", names, false);
}

int run_command(const Arguments& arguments) {
  if (arguments.empty() || arguments.front() == "-h" || arguments.front() == "--help") {
    print_benchmarks();
    return 0;
  }
  const std::string& first = arguments.front();
  if (first == cli::kCompletionTable) {
    print_completion_tables();
    return 0;
  }
  if (first.starts_with('-')) {
    throw UsageError(fmt::format(
        "bench: {}: the name of a benchmark comes first (grappa bench lists them)", first));
  }
  return run_benchmark(find_benchmark(first), Arguments(arguments.begin() + 1, arguments.end()));
}

}  // namespace
}  // namespace grappa::bench

int main(int argc, char** argv) {
  return grappa::cli::run_program({argv + 1, argv + argc}, grappa::bench::run_command);
}
