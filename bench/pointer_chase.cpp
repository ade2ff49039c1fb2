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
#include <cstdio>
#include <nlohmann/json.hpp>
#include <utility>

#include "bench/chase_figures.hpp"
#include "bench/measure.hpp"
#include "bench/registry.hpp"
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
  Chart chart(const nlohmann::json& report) const override { return chase_chart(report["result"]); }

  nlohmann::json run(const Config& base_config, bool quiet) override {
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
    nlohmann::json report;
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
      if (!quiet)
        fmt::print("Lists:     {}, {} cores\n", internal::format_bytes(used), core_count());
      const nlohmann::json rows = measure(make_figure(settings_, field), quiet);
      const nlohmann::json verdict = judge_chase(settings_, core_count(), rows);
      if (!quiet) print_verdict(verdict);
      report = {{"cores", core_count()},
                {"locales", 1},
                {"trials", nlohmann::json::array()},
                {"result",
                 {{"figure", settings_.figure},
                  {"memory_bytes", used},
                  {"cores", core_count()},
                  {"rows", rows},
                  {"verdict", verdict},
                  {"checked", true}}}};
      if (verdict["ratios"].contains("tasks/bare")) {
        report["baseline"] = {{"name", "bare"}};
        report["ratio"] = verdict["ratios"]["tasks/bare"];
      }
    });
    return report;
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

  nlohmann::json measure(const ChaseFigure& figure, bool quiet) const {
    const bool by_size = figure.x_name == "set_bytes";
    if (!quiet) {
      fmt::print("Rates:     million references a second, medians of {}\n{:>9}", trials_,
                 by_size ? "set" : "lists");
      for (const ChaseCurve& curve : figure.curves) fmt::print("  {:>16}", curve.name);
      fmt::print("\n");
    }
    nlohmann::json rows = nlohmann::json::array();
    for (const std::int64_t x : figure.xs) {
      std::vector<const ChaseCurve*> curves;
      std::vector<std::function<double()>> things;
      for (const ChaseCurve& curve : figure.curves) {
        auto trial = curve.at(x);
        if (!trial) continue;
        curves.push_back(&curve);
        things.push_back(std::move(trial));
      }
      const auto trials = run_in_turn(trials_, things).results;
      nlohmann::json row = {{"lists", by_size ? settings_.lists.front() : x},
                            {"series", nlohmann::json::array()}};
      row[figure.x_name] = x;
      for (std::size_t i = 0; i < curves.size(); ++i) {
        row["series"].push_back({{"name", curves[i]->name},
                                 {"million_references_per_second", median(trials[i])},
                                 {"trials", trials[i]}});
      }
      if (!quiet) print_row(figure, x, row);
      rows.push_back(std::move(row));
    }
    return rows;
  }

  static void print_row(const ChaseFigure& figure, std::int64_t x, const nlohmann::json& row) {
    fmt::print("{:>9}", x);
    for (const ChaseCurve& curve : figure.curves) {
      const auto point = std::ranges::find_if(
          row["series"], [&](const nlohmann::json& each) { return each["name"] == curve.name; });
      fmt::print(
          "  {:>16}",
          point == row["series"].end()
              ? "-"
              : fmt::format("{:.1f}", (*point)["million_references_per_second"].get<double>()));
    }
    fmt::print("\n");
    std::fflush(stdout);
  }

  static void print_verdict(const nlohmann::json& verdict) {
    for (const nlohmann::json& best : verdict["best"]) {
      fmt::print("Best:      {:.1f} M/s, {}, {} lists a core\n",
                 best["million_references_per_second"].get<double>(),
                 best["name"].get<std::string>(), best["lists"].get<std::int64_t>());
    }
    for (const auto& [names, ratio] : verdict["ratios"].items())
      fmt::print("Ratio:     {:.2f} {}\n", ratio.get<double>(), names);
    if (verdict.contains("delays")) {
      for (const nlohmann::json& delay : verdict["delays"]) {
        fmt::print("Delay:     {} ns: {:.0f} % of the rate of as many tasks with a delay of 0",
                   delay["delay_ns"].get<std::uint64_t>(), 100 * delay["fraction"].get<double>());
        const nlohmann::json& enough = delay["tasks_for_95_percent"];
        if (!enough.is_null()) {
          fmt::print(", 95 % from {} tasks a core on (Little's law: {:.0f})",
                     enough.get<std::int64_t>(), delay["tasks_by_littles_law"].get<double>());
        }
        fmt::print("; best of all {:.0f} %\n", 100 * delay["best_fraction"].get<double>());
      }
    }
    fmt::print("Checked:   every list ends where the formula says\n");
  }

  ChaseSettings settings_;
  std::string memory_ = "1GiB";
  std::vector<std::string> delays_;
  int trials_ = 5;
};

const PointerChase pointer_chase;

}  // namespace
}  // namespace grappa::bench
