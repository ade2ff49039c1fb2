// bench context-switch: what it costs to yield to the next of many workers.
//
// N workers on one core have all started and are suspended; they are made ready in the order of
// their stacks in memory or in random order, and then each yields equally often. In turn with the
// configured prefetch distance: without prefetch, and the baselines of switch_baselines.hpp. Each
// trial of ours is a run of its own, so the workers of each are new. Check: all turns are counted.
//
// The memory of a blocked worker is what the process grew by, resident and in page tables, while
// the workers were started, for each of them.

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <random>

#include "bench/measure.hpp"
#include "bench/registry.hpp"
#include "bench/switch_baselines.hpp"
#include "grappa/base/text_values.hpp"
#include "grappa/base/topology.hpp"
#include "grappa/grappa.hpp"
#include "grappa/tasking/prefetch_distance.hpp"
#include "grappa/tasking/scheduler.hpp"

namespace grappa::bench {
namespace {

constexpr std::int64_t kMaxWorkers = 100'000'000;  // whose stacks fill what can be addressed
constexpr std::int64_t kMinRounds = 20;
constexpr std::int64_t kStartedAtOnce = 64;  // so that waiting tasks take no memory to speak of
constexpr std::int64_t kThreadShare = 50;    // threads switch so much less often in a trial

/// Bytes of this process.
struct MemoryUse {
  std::int64_t resident = 0;
  std::int64_t page_tables = 0;

  static MemoryUse now() {
    MemoryUse use;
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
      if (line.starts_with("VmRSS:")) use.resident = std::stoll(line.substr(6)) * 1024;
      if (line.starts_with("VmPTE:")) use.page_tables = std::stoll(line.substr(6)) * 1024;
    }
    return use;
  }
};

SwitchOrder make_order(std::int64_t workers, bool random) {
  SwitchOrder order(static_cast<std::size_t>(workers));
  std::iota(order.begin(), order.end(), 0u);
  if (random) std::shuffle(order.begin(), order.end(), std::mt19937_64(1));
  return order;
}

/// Shared by the workers of a trial, all on one core.
struct Turns {
  std::vector<internal::Worker*> started;
  std::int64_t done = 0;
  std::int64_t turns = 0;
  std::uint64_t end_ns = 0;  // when the last one was done
};

/// In the main task of a run: nanoseconds a switch, and the memory of a worker.
double grappa_trial(const SwitchOrder& order, std::int64_t rounds, MemoryUse& memory) {
  const auto workers = static_cast<std::int64_t>(order.size());
  internal::Scheduler& scheduler = internal::this_scheduler();
  Turns state;
  state.started.resize(order.size());  // touched before the memory is looked at
  state.started.clear();
  Turns* shared = &state;
  CompletionEvent all;
  const MemoryUse before = MemoryUse::now();
  for (std::int64_t i = 1; i <= workers; ++i) {
    spawn(all, [shared, rounds, workers] {
      internal::Scheduler& mine = internal::this_scheduler();
      shared->started.push_back(&mine.current());
      mine.suspend("the start of the trial");
      for (std::int64_t k = 0; k < rounds; ++k) {
        yield();
        ++shared->turns;
      }
      if (++shared->done == workers) shared->end_ns = internal::now_ns();
    });
    if (i % kStartedAtOnce != 0 && i != workers) continue;
    while (static_cast<std::int64_t>(state.started.size()) < i) yield();
  }
  const MemoryUse after = MemoryUse::now();
  memory.resident = std::max<std::int64_t>(0, after.resident - before.resident) / workers;
  memory.page_tables = std::max<std::int64_t>(0, after.page_tables - before.page_tables) / workers;
  for (const std::uint32_t number : order) scheduler.wake(state.started[number]);
  const std::uint64_t start = internal::now_ns();
  all.wait();  // this task takes no turns: it would be one more, from another place in the code
  if (state.turns != workers * rounds) throw Error("bench context-switch: turns were lost");
  return static_cast<double>(state.end_ns - start) /
         (static_cast<double>(workers) * static_cast<double>(rounds + 1));
}

class ContextSwitch final : public Benchmark {
 public:
  ContextSwitch()
      : Benchmark("context-switch", "nanoseconds to yield to the next of many workers") {}

  void add_options(Options& options) override {
    options.add_counts("--workers", workers_, 1, kMaxWorkers, "numbers of workers to measure with");
    options.add_count("--switches", switches_, 1, Options::kMany,
                      "switches in a trial, at least; every worker yields equally often");
    options.add_trials(trials_);
    options.add_words(
        "--order", orders_, {"round", "random"},
        "round: the workers are ready in the order of their stacks in memory; random: "
        "in random order");
    options.add_words(
        "--baseline", baselines_, {"bare", "pthreads", "boost-fiber"},
        "also, in turn: bare: a ring of stacks with the same switch and nothing else, without and "
        "with prefetch; pthreads: threads that wake one another, up to 8,000; boost-fiber: fibers "
        "of Boost.Fiber");
  }

  bool draws() const override { return true; }

  void run(const Config& base_config, Report& report) override {
    if (wants("boost-fiber") && !FiberRing::available()) {
      throw UsageError(
          "--baseline boost-fiber: this build has no Boost.Fiber (Debian: libboost-fiber-dev)");
    }
    Config config = base_config;
    config.cores = 1;
    config.locales = 1;
    const bool measured = !config.prefetch_distance.has_value();
    // Ours measures it, too, and has no prefetch with few workers.
    const int distance =
        measured ? internal::measured_prefetch_distance() : *config.prefetch_distance;
    const internal::AffinityKeeper keeper;
    // Where the core of a run is, too.
    if (config.pin) internal::pin_this_thread(internal::usable_processors().front());
    const char* mode = config.stacks == StackMode::kGuarded ? "guarded"
                       : config.stacks == StackMode::kHuge  ? "huge"
                                                            : "canary";
    report.line("Stacks", "{} of {} KiB, prefetch distance {}{}", fact("stacks", mode),
                config.stack_bytes >> 10, fact("prefetch_distance", distance),
                measured ? " (measured; ours with 2,048 workers or more)" : "");
    cli::Chart& chart = report.chart();
    chart.title = fmt::format("A switch to the next worker (stacks: {}, prefetch distance {})",
                              mode, distance);
    chart.x = {.title = "workers on one core", .scale = cli::Scale::kLog};
    chart.y = {.title = "nanoseconds a switch", .scale = cli::Scale::kLog};
    for (const std::string& order : orders_) {
      report.line("Order", "{}", order);
      chart.panels.push_back({.title = "order: " + order, .series = {}, .references = {}});
      Table table(report, "", columns());
      for (const std::int64_t workers : workers_)
        measure(config, distance, workers, order, table, report);
    }
    report.line("Checked", "the turns of all workers");
    if (baselines_.empty()) return;
    report.set("/baseline/name", fmt::format("{}", fmt::join(baselines_, ",")));
    // To the first one, in the last row that has it.
    const std::string first = series_of(baselines_.front()).front();
    for (const nlohmann::json& row : report.at("rows")) {
      const auto ratio = row["ratios"].find(first);
      if (ratio != row["ratios"].end()) report.set("/ratio", *ratio);
    }
  }

 private:
  static constexpr const char* kOurs = "Grappa";

  bool wants(const std::string& baseline) const {
    return std::ranges::find(baselines_, baseline) != baselines_.end();
  }

  /// What a word of --baseline adds.
  static std::vector<std::string> series_of(const std::string& baseline) {
    if (baseline == "bare") return {"bare", "bare+prefetch"};
    if (baseline == "pthreads") return {"pthreads"};
    return {"Boost.Fiber"};
  }

  /// The names of all curves, in order.
  std::vector<std::string> names() const {
    std::vector<std::string> names = {kOurs, "no prefetch"};
    for (const char* baseline : {"bare", "pthreads", "boost-fiber"}) {
      if (!wants(baseline)) continue;
      for (const std::string& name : series_of(baseline)) names.push_back(name);
    }
    return names;
  }

  std::vector<cli::Column> columns() const {
    std::vector<cli::Column> columns = {{.head = "workers", .width = 8}};
    for (const std::string& name : names()) columns.push_back({.head = name, .width = 13});
    if (wants("bare")) columns.push_back({.head = "Grappa/bare", .width = 11});
    columns.push_back({.head = "memory a worker", .width = 15, .left = true});
    return columns;
  }

  void measure(const Config& config, int distance, std::int64_t workers,
               const std::string& order_name, Table& table, Report& report) const {
    const SwitchOrder order = make_order(workers, order_name == "random");
    const std::int64_t rounds = std::max(kMinRounds, switches_ / workers);
    std::optional<MemoryUse> memory;  // in the first run, which finds nothing of an earlier one
    const auto ours = [&](std::optional<int> prefetch_distance) {
      return [&, prefetch_distance] {
        Config mine = config;
        mine.prefetch_distance = prefetch_distance;
        double ns = 0;
        MemoryUse grown;
        grappa::run(mine, [&] { ns = grappa_trial(order, rounds, grown); });
        if (!memory) memory = grown;
        return ns;
      };
    };
    std::vector<CurvePoint> points = {{kOurs, ours(config.prefetch_distance)},
                                      {"no prefetch", ours(0)}};
    nlohmann::json skipped = nlohmann::json::object();
    // Made after the first run, so that what they take is not taken for the workers' memory.
    std::unique_ptr<BareRing> bare;
    const auto bare_trial = [&](int prefetch_distance) {
      return [&, prefetch_distance] {
        if (!bare) bare = std::make_unique<BareRing>(config, order);
        return bare->trial(rounds, static_cast<std::size_t>(prefetch_distance));
      };
    };
    if (wants("bare") && workers < 2) {
      skipped["bare"] = "one worker has nobody to switch to";
    } else if (wants("bare")) {
      points.push_back({"bare", bare_trial(0)});
      points.push_back({"bare+prefetch", bare_trial(distance)});
    }
    std::unique_ptr<ThreadRing> threads;
    if (wants("pthreads")) {
      try {
        if (workers > ThreadRing::kMax)
          throw Error(fmt::format("measured with at most {} threads", ThreadRing::kMax));
        threads = std::make_unique<ThreadRing>(order);
        const std::int64_t fewer = std::max<std::int64_t>(2, rounds / kThreadShare);
        points.push_back({"pthreads", [&, fewer] { return threads->trial(fewer); }});
      } catch (const Error& error) {
        skipped["pthreads"] = error.what();
      }
    }
    std::unique_ptr<FiberRing> fibers;
    if (wants("boost-fiber")) {
      points.push_back({"Boost.Fiber", [&] {
                          if (!fibers) fibers = std::make_unique<FiberRing>(config, order);
                          return fibers->trial(rounds);
                        }});
    }
    nlohmann::json row = {{"workers", workers}, {"order", order_name}, {"checked", true}};
    const CurveTable curves{"nanoseconds", "{:.2f} ns", names()};
    std::vector<std::string> cells = measure_points(
        trials_, points, curves, static_cast<double>(workers), row, report.chart().panels.back());
    cells.insert(cells.begin(), fmt::format("{}", workers));
    const double ours_ns = row["series"][0]["nanoseconds"];
    row["nanoseconds"] = ours_ns;
    row["ratios"] = nlohmann::json::object();
    for (std::size_t i = 1; i < points.size(); ++i)
      row["ratios"][points[i].name] = ours_ns / row["series"][i]["nanoseconds"].get<double>();
    if (wants("bare")) {
      const auto ratio = row["ratios"].find("bare");
      cells.push_back(ratio == row["ratios"].end() ? "-"
                                                   : fmt::format("{:.2f}", ratio->get<double>()));
    }
    row["memory_a_worker"] = {{"resident_bytes", memory->resident},
                              {"page_table_bytes", memory->page_tables}};
    cells.push_back(
        fmt::format("{} + {} in page tables",
                    internal::format_bytes(static_cast<std::uint64_t>(memory->resident)),
                    internal::format_bytes(static_cast<std::uint64_t>(memory->page_tables))));
    table.write(std::move(cells));
    for (const auto& [name, why] : skipped.items())
      report.line("Left out", "{}: {}", name, why.get<std::string>());
    if (!skipped.empty()) row["skipped"] = skipped;
    report.at("rows").push_back(std::move(row));
  }

  std::vector<std::int64_t> workers_{2, 10, 100, 1000, 10'000, 100'000, 500'000};
  std::int64_t switches_ = 5'000'000;
  int trials_ = 5;
  std::vector<std::string> orders_{"round"};
  std::vector<std::string> baselines_;
};

const ContextSwitch context_switch;

}  // namespace
}  // namespace grappa::bench
