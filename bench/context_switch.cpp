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
#include <cstdio>
#include <fstream>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
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

/// One of the things that are measured in turn.
struct Contender {
  std::string name;
  std::function<double()> trial;
};

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

  nlohmann::json run(const Config& base_config, bool quiet) override {
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
    if (!quiet)
      fmt::print("Stacks:    {} of {} KiB, prefetch distance {}{}\n", mode,
                 config.stack_bytes >> 10, distance,
                 measured ? " (measured; ours with 2,048 workers or more)" : "");
    nlohmann::json rows = nlohmann::json::array();
    for (const std::string& order : orders_) {
      if (!quiet) fmt::print("Order:     {}\n", order);
      if (!quiet) print_heading();
      for (const std::int64_t workers : workers_)
        rows.push_back(measure(config, distance, workers, order, quiet));
    }
    if (!quiet) fmt::print("Checked:   the turns of all workers\n");
    nlohmann::json report = {
        {"trials", nlohmann::json::array()},
        {"result", {{"stacks", mode}, {"prefetch_distance", distance}, {"rows", rows}}}};
    if (!baselines_.empty()) {
      report["baseline"] = {{"name", fmt::format("{}", fmt::join(baselines_, ","))}};
      // To the first one, in the last row that has it.
      const std::string first = series_of(baselines_.front()).front();
      for (const nlohmann::json& row : rows) {
        const auto ratio = row["ratios"].find(first);
        if (ratio != row["ratios"].end()) report["ratio"] = *ratio;
      }
    }
    return report;
  }

  Chart chart(const nlohmann::json& report) const override {
    Chart chart;
    chart.title = fmt::format("A switch to the next worker (stacks: {}, prefetch distance {})",
                              report["result"]["stacks"].get<std::string>(),
                              report["result"]["prefetch_distance"].get<int>());
    chart.x = {.title = "workers on one core", .scale = Scale::kLog};
    chart.y = {.title = "nanoseconds a switch", .scale = Scale::kLog};
    for (const nlohmann::json& row : report["result"]["rows"]) {
      const std::string order = row["order"];
      const std::string title = "order: " + order;
      if (chart.panels.empty() || chart.panels.back().title != title)
        chart.panels.push_back({.title = title, .series = {}, .references = {}});
      for (const nlohmann::json& measured : row["series"])
        chart.panels.back()
            .line(measured["name"])
            .points.push_back({row["workers"], measured["nanoseconds"]});
    }
    return chart;
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

  /// The names of all columns, in order.
  std::vector<std::string> columns() const {
    std::vector<std::string> names = {kOurs, "no prefetch"};
    for (const char* baseline : {"bare", "pthreads", "boost-fiber"}) {
      if (!wants(baseline)) continue;
      for (const std::string& name : series_of(baseline)) names.push_back(name);
    }
    return names;
  }

  void print_heading() const {
    fmt::print("{:>8}", "workers");
    for (const std::string& name : columns()) fmt::print("  {:>13}", name);
    fmt::print("  {}memory a worker\n", wants("bare") ? "Grappa/bare  " : "");
  }

  nlohmann::json measure(const Config& config, int distance, std::int64_t workers,
                         const std::string& order_name, bool quiet) const {
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
    std::vector<Contender> contenders = {{kOurs, ours(config.prefetch_distance)},
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
      contenders.push_back({"bare", bare_trial(0)});
      contenders.push_back({"bare+prefetch", bare_trial(distance)});
    }
    std::unique_ptr<ThreadRing> threads;
    if (wants("pthreads")) {
      try {
        if (workers > ThreadRing::kMax)
          throw Error(fmt::format("measured with at most {} threads", ThreadRing::kMax));
        threads = std::make_unique<ThreadRing>(order);
        const std::int64_t fewer = std::max<std::int64_t>(2, rounds / kThreadShare);
        contenders.push_back({"pthreads", [&, fewer] { return threads->trial(fewer); }});
      } catch (const Error& error) {
        skipped["pthreads"] = error.what();
      }
    }
    std::unique_ptr<FiberRing> fibers;
    if (wants("boost-fiber")) {
      contenders.push_back({"Boost.Fiber", [&] {
                              if (!fibers) fibers = std::make_unique<FiberRing>(config, order);
                              return fibers->trial(rounds);
                            }});
    }
    std::vector<std::function<double()>> things;
    for (const Contender& contender : contenders) things.push_back(contender.trial);
    const auto trials = run_in_turn(trials_, things).results;

    const double ours_ns = median(trials.front());
    nlohmann::json row = {
        {"workers", workers},
        {"order", order_name},
        {"nanoseconds", ours_ns},
        {"series", nlohmann::json::array()},
        {"ratios", nlohmann::json::object()},
        {"memory_a_worker",
         {{"resident_bytes", memory->resident}, {"page_table_bytes", memory->page_tables}}},
        {"checked", true}};
    if (!skipped.empty()) row["skipped"] = skipped;
    for (std::size_t i = 0; i < contenders.size(); ++i) {
      const double ns = median(trials[i]);
      row["series"].push_back(
          {{"name", contenders[i].name}, {"nanoseconds", ns}, {"trials", trials[i]}});
      if (i > 0) row["ratios"][contenders[i].name] = ours_ns / ns;
    }
    if (!quiet) print_row(row);
    return row;
  }

  void print_row(const nlohmann::json& row) const {
    fmt::print("{:>8}", row["workers"].get<std::int64_t>());
    for (const std::string& name : columns()) {
      const auto found = std::ranges::find_if(
          row["series"], [&](const nlohmann::json& measured) { return measured["name"] == name; });
      if (found == row["series"].end())
        fmt::print("  {:>13}", "-");
      else
        fmt::print("  {:>10.2f} ns", (*found)["nanoseconds"].get<double>());
    }
    if (row["ratios"].contains("bare"))
      fmt::print("  {:>11.2f}", row["ratios"]["bare"].get<double>());
    else if (wants("bare"))
      fmt::print("  {:>11}", "-");
    const nlohmann::json& memory = row["memory_a_worker"];
    fmt::print("  {} + {} in page tables\n",
               internal::format_bytes(memory["resident_bytes"].get<std::uint64_t>()),
               internal::format_bytes(memory["page_table_bytes"].get<std::uint64_t>()));
    if (row.contains("skipped")) {
      for (const auto& [name, why] : row["skipped"].items())
        fmt::print("{:>8}  {} left out: {}\n", "", name, why.get<std::string>());
    }
    std::fflush(stdout);
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
