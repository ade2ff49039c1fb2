#include "bench/chase_figures.hpp"

#include <fmt/format.h>

#include <numeric>

#include "grappa/base/text_values.hpp"

namespace grappa::bench {
namespace {

constexpr double kDelayedTrialNs = 1e8;  // what a trial with few tasks and a long delay may take
constexpr double kGoal = 0.95;           // of the rate without delay
constexpr const char* kNoSimulation = "not simulated";

std::int64_t steps_of(const ChaseSettings& settings, std::int64_t lists) {
  return std::max<std::int64_t>(1, settings.references / lists);
}

std::string delay_name(std::uint64_t ns) {
  return ns % 1000 == 0 ? fmt::format("{} us", ns / 1000) : fmt::format("{} ns", ns);
}

std::string updates_name(std::int64_t updates) {
  return fmt::format("{} update{}", updates, updates == 1 ? "" : "s");
}

ChaseCurve hand_curve(const ChaseSettings& settings, const ChaseField& field) {
  return {"hand-interleaved", [&](std::int64_t lists) -> std::function<double()> {
            if (lists > HandChase::kMax) return {};
            return [&, lists] { return field.rate(HandChase{lists, steps_of(settings, lists)}); };
          }};
}

ChaseCurve task_curve(const std::string& name, int width, const ChaseSettings& settings,
                      const ChaseField& field) {
  return {name, [&, width](std::int64_t lists) -> std::function<double()> {
            if (lists % width != 0) return {};
            return [&, width, lists] {
              return field.rate(TaskChase{lists, steps_of(settings, lists), width});
            };
          }};
}

ChaseCurve bare_curve(const ChaseSettings& settings, const ChaseField& field) {
  return {"bare", [&](std::int64_t lists) -> std::function<double()> {
            if (lists < 2) return {};  // there is nobody to switch to
            return [&, lists] { return field.rate(BareChase{lists, steps_of(settings, lists)}); };
          }};
}

ChaseCurve coroutine_curve(const ChaseSettings& settings, const ChaseField& field) {
  return {"coroutines", [&](std::int64_t lists) {
            return
                [&, lists] { return field.rate(CoroutineChase{lists, steps_of(settings, lists)}); };
          }};
}

ChaseCurve delay_curve(std::uint64_t delay_ns, const ChaseSettings& settings,
                       const ChaseField& field) {
  return {delay_name(delay_ns), [&, delay_ns](std::int64_t lists) {
            const auto most = static_cast<std::int64_t>(
                kDelayedTrialNs / static_cast<double>(std::max<std::uint64_t>(delay_ns, 1)));
            const std::int64_t steps =
                std::max<std::int64_t>(1, std::min(most, steps_of(settings, lists)));
            return [&, delay_ns, lists, steps] {
              return field.rate(DelayedChase{lists, steps, delay_ns});
            };
          }};
}

ChaseCurve pressure_curve(std::int64_t updates, const ChaseSettings& settings,
                          const ChaseField& field) {
  return {updates_name(updates), [&, updates](std::int64_t bytes) {
            const std::int64_t lists = settings.lists.front();
            const std::int64_t steps =
                std::max<std::int64_t>(1, steps_of(settings, lists) / (1 + updates));
            return [&, updates, bytes, lists, steps] {
              return field.rate(PressureChase{lists, steps, updates, bytes});
            };
          }};
}

bool is_pressure(const std::string& figure) { return figure.starts_with('5'); }

template <class T>
void require_own(const std::vector<T>& given, bool belongs, const char* flag, const char* figures) {
  if (!given.empty() && !belongs)
    throw UsageError(fmt::format("{}: belongs to --figure {}", flag, figures));
}

/// {"name", "rate", "lists"} of the highest point of a curve.
nlohmann::json best_of(const nlohmann::json& rows, const std::string& name) {
  nlohmann::json best;
  for (const nlohmann::json& row : rows) {
    for (const nlohmann::json& point : row["series"]) {
      if (point["name"] != name) continue;
      const double rate = point["million_references_per_second"];
      if (best.is_null() || rate > best["million_references_per_second"].get<double>())
        best = {{"name", name}, {"million_references_per_second", rate}, {"lists", row["lists"]}};
    }
  }
  return best;
}

double rate_of(const nlohmann::json& best) { return best["million_references_per_second"]; }

std::vector<std::string> names_of(const nlohmann::json& rows) {
  std::vector<std::string> names;
  for (const nlohmann::json& row : rows) {
    for (const nlohmann::json& point : row["series"]) {
      const std::string name = point["name"];
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
  }
  return names;
}

/// The rate of one curve in a row, or 0.
double rate_in(const nlohmann::json& row, const std::string& name) {
  for (const nlohmann::json& point : row["series"]) {
    if (point["name"] == name) return rate_of(point);
  }
  return 0;
}

/// How much of the rate with a delay of 0 as many tasks reach with the delay: what it costs to
/// simulate, and that the more tasks the fewer of their lines stay in the nearest cache, is the
/// same for both. And how the best rate of any number of tasks compares with the best without
/// simulation.
nlohmann::json judge_delays(const ChaseSettings& settings, int cores, const nlohmann::json& rows) {
  nlohmann::json result = nlohmann::json::array();
  const double undelayed_best = rate_of(best_of(rows, kNoSimulation));
  for (const std::uint64_t delay : settings.delays_ns) {
    const std::string name = delay_name(delay);
    nlohmann::json judged = {{"delay_ns", delay},
                             {"best_fraction", rate_of(best_of(rows, name)) / undelayed_best},
                             {"fraction", 0.0},
                             {"fraction_at_tasks", nullptr},
                             {"tasks_for_95_percent", nullptr},
                             {"tasks_by_littles_law", nullptr}};
    for (const nlohmann::json& row : rows) {
      const double undelayed = rate_in(row, delay_name(0));
      if (undelayed == 0) continue;
      const double fraction = rate_in(row, name) / undelayed;
      if (fraction > judged["fraction"].get<double>()) {
        judged["fraction"] = fraction;
        judged["fraction_at_tasks"] = row["lists"];
      }
      if (fraction < kGoal || !judged["tasks_for_95_percent"].is_null()) continue;
      judged["tasks_for_95_percent"] = row["lists"];
      judged["tasks_by_littles_law"] =
          kGoal * undelayed * 1e6 / cores * static_cast<double>(delay) * 1e-9;
    }
    result.push_back(judged);
  }
  return result;
}

}  // namespace

ChaseField::ChaseField(int bits) : seats_(symmetric_alloc<Seat>()) {
  on_all_cores([seats = seats_, bits] {
    seats->core = std::make_unique<ChaseCore>(bits, static_cast<std::uint64_t>(this_core()));
  });
}

ChaseField::~ChaseField() {
  on_all_cores([seats = seats_] { seats->core.reset(); });
  symmetric_free(seats_);
}

void complete(ChaseSettings& settings) {
  const std::string& figure = settings.figure;
  require_own(settings.sizes, is_pressure(figure), "--sizes", "5a and 5b");
  require_own(settings.updates, is_pressure(figure), "--updates", "5a and 5b");
  require_own(settings.delays_ns, figure == "6", "--delay", "6");
  if (is_pressure(figure) && settings.lists.size() > 1)
    throw UsageError(fmt::format("--lists: one number for --figure {}", figure));
  const std::int64_t most = figure == "3" ? HandChase::kMax : ChaseSettings::kMaxLists;
  for (const std::int64_t lists : settings.lists) {
    if (lists > most)
      throw UsageError(
          fmt::format("--lists {}: from 1 to {} for --figure {}", lists, most, figure));
  }
  for (const std::int64_t bytes : settings.sizes) {
    if ((bytes & (bytes - 1)) != 0)
      throw UsageError(fmt::format("--sizes {}: powers of two from 64 to 1 GiB", bytes));
  }
  for (const std::uint64_t delay : settings.delays_ns) {
    if (delay < 1 || delay > 1'000'000'000) throw UsageError("--delay: from 1ns to 1s");
  }
  if (settings.lists.empty()) {
    if (figure == "3") {
      settings.lists.resize(HandChase::kMax);
      std::iota(settings.lists.begin(), settings.lists.end(), 1);
    } else if (figure == "4") {
      settings.lists = {1, 2, 4, 6, 8, 12, 16, 20, 24, 28, 32, 40, 48, 64, 96, 128, 256};
    } else if (figure == "6") {
      settings.lists = {1,   2,   4,   8,   16,  32,  48,  64,  96,  128, 160,
                        192, 256, 320, 384, 448, 512, 640, 768, 896, 1024};
    } else {
      settings.lists = {figure == "5a" ? 8 : 48};
    }
  }
  std::ranges::sort(settings.lists);
  if (is_pressure(figure)) {
    if (settings.sizes.empty())
      settings.sizes = {64, 256, 1024, 4096, 16384, 65536, 262'144, 1'048'576, 4'194'304};
    if (settings.updates.empty()) settings.updates = {0, 1, 2, 4, 8, 16, 32};
    std::ranges::sort(settings.sizes);
  }
  if (figure == "6" && settings.delays_ns.empty()) settings.delays_ns = {3000};
}

ChaseFigure make_figure(const ChaseSettings& settings, const ChaseField& field) {
  ChaseFigure figure{"lists", settings.lists, {}};
  if (settings.figure == "3") {
    figure.curves = {hand_curve(settings, field)};
  } else if (settings.figure == "4") {
    figure.curves = {task_curve("tasks", 1, settings, field),
                     bare_curve(settings, field),
                     coroutine_curve(settings, field),
                     hand_curve(settings, field),
                     task_curve("weaving 2", 2, settings, field),
                     task_curve("weaving 4", 4, settings, field),
                     task_curve("weaving 8", 8, settings, field)};
  } else if (settings.figure == "6") {
    figure.curves = {task_curve(kNoSimulation, 1, settings, field),
                     delay_curve(0, settings, field)};
    for (const std::uint64_t delay : settings.delays_ns)
      figure.curves.push_back(delay_curve(delay, settings, field));
  } else {
    figure.x_name = "set_bytes";
    figure.xs = settings.sizes;
    for (const std::int64_t updates : settings.updates)
      figure.curves.push_back(pressure_curve(updates, settings, field));
  }
  return figure;
}

nlohmann::json judge_chase(const ChaseSettings& settings, int cores, const nlohmann::json& rows) {
  nlohmann::json verdict = {{"best", nlohmann::json::array()},
                            {"ratios", nlohmann::json::object()}};
  if (is_pressure(settings.figure)) return verdict;
  for (const std::string& name : names_of(rows)) verdict["best"].push_back(best_of(rows, name));
  if (settings.figure == "4") {
    const auto best = [&](std::string_view start) {
      double rate = 0;
      for (const nlohmann::json& each : verdict["best"]) {
        if (each["name"].get<std::string>().starts_with(start))
          rate = std::max(rate, rate_of(each));
      }
      return rate;
    };
    const auto compare = [&](const char* over, const char* under) {
      if (best(over) > 0 && best(under) > 0)
        verdict["ratios"][fmt::format("{}/{}", over, under)] = best(over) / best(under);
    };
    compare("tasks", "bare");
    compare("tasks", "hand");
    compare("coroutines", "hand");
    compare("weaving", "hand");
  }
  if (settings.figure == "6") verdict["delays"] = judge_delays(settings, cores, rows);
  return verdict;
}

cli::Chart chase_chart(const ChaseSettings& settings, int cores) {
  const std::string& figure = settings.figure;
  cli::Chart chart;
  chart.y = {.title = "million references a second"};
  if (is_pressure(figure)) {
    chart.title = fmt::format("Pointer chasing with local updates, {} tasks a core on {} cores",
                              settings.lists.front(), cores);
    chart.x = {.title = "working set of a task", .scale = cli::Scale::kPowersOf2, .bytes = true};
  } else if (figure == "6") {
    chart.title = fmt::format("Pointer chasing with simulated network delay, {} cores", cores);
    chart.x = {.title = "tasks a core"};
  } else {
    chart.title = fmt::format("Pointer chasing, {} cores", cores);
    chart.x = {.title = "concurrent references offered (all cores)",
               .scale = figure == "4" ? cli::Scale::kPowersOf2 : cli::Scale::kLinear};
  }
  chart.panels.emplace_back();
  return chart;
}

double place_on_axis(const ChaseSettings& settings, int cores, std::int64_t x) {
  const bool offered = settings.figure == "3" || settings.figure == "4";
  return static_cast<double>(offered ? x * cores : x);
}

void draw_littles_law(const ChaseSettings& settings, int cores, cli::Panel& panel) {
  double highest = 0;
  for (const cli::Series& line : panel.series) {
    for (const cli::Point& point : line.points) highest = std::max(highest, point.y);
  }
  for (const std::uint64_t delay : settings.delays_ns) {
    const double slope = 1e3 / static_cast<double>(delay) * cores;  // a task more
    const double end = std::min(static_cast<double>(settings.lists.back()), highest / slope);
    panel.series.push_back({.name = fmt::format("Little's law, {}", delay_name(delay)),
                            .points = {{0, 0}, {end, end * slope}},
                            .model = true});
  }
}

}  // namespace grappa::bench
