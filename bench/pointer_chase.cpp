// bench pointer-chase: how many references to memory at random can be under way, and with how many
// tasks; the experiments of J. Nelson et al., "Crunching large graphs with commodity processors"
// (HotPar 2011), Figures 3 to 6.
//
//   --figure 3     lists chased in one loop, by hand: what the processor allows
//   --figure 4     a task a list, beside a bare loop of switch and prefetch, coroutines, the loop
//                  by hand, and tasks that chase several lists each
//   --figure 5a 5b tasks with a working set of their own: 8 and 48 tasks a core
//   --figure 6     tasks that wait for a simulated network
//
// All cores of one locale take part, each with its own lists; rates are those of all together. What
// belongs to one x is measured in turn. Check: every list ends where a formula says, and the local
// updates add up.

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "bench/chase_figures.hpp"
#include "bench/measure.hpp"
#include "bench/registry.hpp"
#include "cli/run_report.hpp"
#include "grappa/base/text_values.hpp"
#include "grappa/base/topology.hpp"
#include "grappa/grappa.hpp"

namespace grappa::bench {
namespace {

class PointerChase final : public Benchmark {
 public:
  PointerChase() : Benchmark("pointer-chase", "random references that tasks keep under way") {}

  void add_options(Options& options) override {
    options.add_choice("--figure", settings_.figure, {"3", "4", "5a", "5b", "6"},
                       "3: loops by hand; 4: tasks; 5a, 5b: tasks with a working set, 8 and 48 a "
                       "core; 6: with a simulated network delay");
    options.add("--memory", memory_, "for the lists of all cores; a power of two of it is used");
    options.add_count("--references", settings_.references, 1, Options::kMany,
                      "references of a core in a trial, about");
    options.add_counts("--lists", settings_.lists, 1, ChaseSettings::kMaxLists,
                       "lists a core; by default as the figure wants them");
    options.add_counts(
        "--sizes", settings_.sizes, 64, 1 << 30,
        "5a, 5b: working sets of a task in bytes, powers of two; by default 64 to 4194304");
    options.add_counts("--updates", settings_.updates, 0, 1'000'000,
                       "5a, 5b: local updates after each reference; by default 0 to 32");
    options.add("--delay", delays_, "6: delays of the network; by default 3us");
    options.add_trials(trials_);
  }

  bool draws() const override { return true; }

  void run(const Config& base_config, Report& report) override {
    for (const std::string& text : delays_) {
      const auto delay = internal::parse_duration_ns(text);
      if (!delay)
        throw UsageError(fmt::format("--delay {}: a time such as 3us was expected", text));
      settings_.delays_ns.push_back(*delay);
    }
    complete(settings_);
    const std::uint64_t bytes = usable_bytes();
    Config config = base_config;
    config.stall_ns = 0;  // loops by hand keep their core
    grappa::run(config, [&] {
      if (locale_count() > 1) throw UsageError("bench pointer-chase: needs one locale");
      const std::uint64_t nodes =
          std::bit_floor(bytes / sizeof(Node) / static_cast<std::uint64_t>(core_count()));
      if (nodes < static_cast<std::uint64_t>(std::ranges::max(settings_.lists))) {
        throw UsageError(fmt::format("--memory {}: too little for {} lists on each of {} cores",
                                     memory_, std::ranges::max(settings_.lists), core_count()));
      }
      const ChaseField field(std::countr_zero(nodes));
      const auto used = nodes * sizeof(Node) * static_cast<std::uint64_t>(core_count());
      cli::print_cores(report);
      report.set("cores", core_count());
      report.set("figure", settings_.figure);
      report.line("Lists", "{}", fact("memory_bytes", used, internal::format_bytes(used)));
      measure(make_figure(settings_, field), report);
      const nlohmann::json verdict = judge_chase(settings_, core_count(), report.at("rows"));
      report.set("verdict", verdict);
      say(verdict, report);
      if (verdict["ratios"].contains("tasks/bare")) {
        report.set("/baseline/name", "bare");
        report.set("/ratio", verdict["ratios"]["tasks/bare"]);
      }
    });
  }

 private:
  std::uint64_t usable_bytes() const {
    const std::uint64_t bytes = internal::parse_size(memory_).value_or(0);
    if (bytes < 1024)
      throw UsageError(
          fmt::format("--memory {}: a size of at least 1KiB was expected, such as 1GiB", memory_));
    if (bytes > internal::usable_memory_bytes()) {
      throw UsageError(fmt::format("--memory {}: only {} are usable", memory_,
                                   internal::format_bytes(internal::usable_memory_bytes())));
    }
    return bytes;
  }

  void measure(const ChaseFigure& figure, Report& report) const {
    const bool by_size = figure.x_name == "set_bytes";
    report.line("Rates", "million references a second, medians of {}", trials_);
    std::vector<cli::Column> columns = {{.head = by_size ? "set" : "lists", .width = 9}};
    CurveTable curves{"million_references_per_second", "{:.1f}", {}};
    for (const ChaseCurve& curve : figure.curves) {
      columns.push_back({.head = curve.name, .width = 16});
      curves.names.push_back(curve.name);
    }
    Table table(report, "", std::move(columns));
    report.chart() = chase_chart(settings_, core_count());
    cli::Panel& panel = report.chart().panels.front();
    for (const std::int64_t x : figure.xs) {
      std::vector<CurvePoint> points;
      for (const ChaseCurve& curve : figure.curves) {
        if (auto trial = curve.at(x)) points.push_back({curve.name, std::move(trial)});
      }
      nlohmann::json row = {{"lists", by_size ? settings_.lists.front() : x}, {figure.x_name, x}};
      std::vector<std::string> cells = measure_points(
          trials_, points, curves, place_on_axis(settings_, core_count(), x), row, panel);
      cells.insert(cells.begin(), fmt::format("{}", x));
      table.write(std::move(cells));
      report.at("rows").push_back(std::move(row));
    }
    draw_littles_law(settings_, core_count(), panel);
  }

  static void say(const nlohmann::json& verdict, Report& report) {
    for (const nlohmann::json& best : verdict["best"]) {
      report.line("Best", "{:.1f} M/s, {}, {} lists a core",
                  best["million_references_per_second"].get<double>(),
                  best["name"].get<std::string>(), best["lists"].get<std::int64_t>());
    }
    for (const auto& [names, ratio] : verdict["ratios"].items())
      report.line("Ratio", "{:.2f} {}", ratio.get<double>(), names);
    for (const nlohmann::json& delay : verdict.value("delays", nlohmann::json::array())) {
      const nlohmann::json& enough = delay["tasks_for_95_percent"];
      report.line("Delay",
                  "{} ns: {:.0f} % of the rate of as many tasks with a delay of 0{}; best of all "
                  "{:.0f} %",
                  delay["delay_ns"].get<std::uint64_t>(), 100 * delay["fraction"].get<double>(),
                  enough.is_null()
                      ? ""
                      : fmt::format(", 95 % from {} tasks a core on (Little's law: {:.0f})",
                                    enough.get<std::int64_t>(),
                                    delay["tasks_by_littles_law"].get<double>()),
                  100 * delay["best_fraction"].get<double>());
    }
    report.line("Checked", "{}", fact("checked", true, "every list ends where the formula says"));
  }

  ChaseSettings settings_;
  std::string memory_ = "1GiB";
  std::vector<std::string> delays_;
  int trials_ = 5;
};

const PointerChase pointer_chase;

}  // namespace
}  // namespace grappa::bench
