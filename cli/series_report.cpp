#include "cli/series_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

namespace grappa::cli {
namespace {

constexpr std::size_t kMaxLines = 8;  // of locales

double seconds(std::uint64_t ns) { return static_cast<double>(ns) * 1e-9; }

/// What the cores of a locale did from one sample to the next: the sums.
struct Period {
  double begin = 0;  // seconds
  double end = 0;
  double tasks = 0;  // at the end
  double suspended = 0;
  double messages = 0;
  double bytes = 0;
};

std::vector<Period> periods_of(const LocaleSeries& locale) {
  const auto cores = static_cast<std::size_t>(locale.cores);
  std::vector<Period> periods;
  for (std::size_t at = cores; at + cores <= locale.samples.size(); at += cores) {
    Period period{seconds(locale.samples[at - cores].ns), seconds(locale.samples[at].ns)};
    if (period.end <= period.begin) continue;
    for (std::size_t core = at; core < at + cores; ++core) {
      const internal::CoreSample& before = locale.samples[core - cores];
      const internal::CoreSample& now = locale.samples[core];
      period.tasks += static_cast<double>(now.tasks);
      period.suspended += static_cast<double>(now.suspended);
      period.messages += static_cast<double>(now.messages - before.messages);
      period.bytes += static_cast<double>(now.bytes - before.bytes);
    }
    periods.push_back(period);
  }
  return periods;
}

/// The periods of all locales at the times of the first one's. (Their samples are taken at nearly
/// the same times.)
std::vector<Period> sum_of(const std::vector<std::vector<Period>>& locales) {
  std::vector<Period> sum = locales.front();
  for (std::size_t l = 1; l < locales.size(); ++l) {
    sum.resize(std::min(sum.size(), locales[l].size()));
    for (std::size_t i = 0; i < sum.size(); ++i) {
      const Period& part = locales[l][i];
      const double scale = (sum[i].end - sum[i].begin) / (part.end - part.begin);
      sum[i].tasks += part.tasks;
      sum[i].suspended += part.suspended;
      sum[i].messages += part.messages * scale;
      sum[i].bytes += part.bytes * scale;
    }
  }
  return sum;
}

nlohmann::ordered_json core_json(const LocaleSeries& locale, std::size_t core) {
  const auto cores = static_cast<std::size_t>(locale.cores);
  nlohmann::ordered_json result = {
      {"core", static_cast<std::size_t>(locale.locale) * cores + core}};
  for (const char* name : {"live_tasks", "suspended_tasks", "messages", "bytes"})
    result[name] = nlohmann::ordered_json::array();
  for (std::size_t at = cores + core; at < locale.samples.size(); at += cores) {
    const internal::CoreSample& before = locale.samples[at - cores];
    const internal::CoreSample& now = locale.samples[at];
    result["live_tasks"].push_back(now.tasks);
    result["suspended_tasks"].push_back(now.suspended);
    result["messages"].push_back(now.messages - before.messages);
    result["bytes"].push_back(now.bytes - before.bytes);
    const double period = std::max(1.0, static_cast<double>(now.ns - before.ns));
    for (std::size_t i = 0; i < internal::kActivities; ++i) {
      // A sample may count what is under way for longer than the core, which has read its clock
      // and not told yet that it goes on with something else.
      const std::uint64_t time = std::max(now.times[i], before.times[i]) - before.times[i];
      result["time"][std::string(name_of(static_cast<internal::Activity>(i)))].push_back(
          static_cast<double>(time) / period);
    }
  }
  return result;
}

}  // namespace

nlohmann::ordered_json series_json(const std::vector<LocaleSeries>& series) {
  auto result = nlohmann::ordered_json::array();
  for (const LocaleSeries& locale : series) {
    const auto cores = static_cast<std::size_t>(locale.cores);
    nlohmann::ordered_json entry = {{"locale", locale.locale},
                                    {"period_seconds", seconds(locale.period_ns)},
                                    {"seconds", nlohmann::ordered_json::array()},
                                    {"cores", nlohmann::ordered_json::array()}};
    for (std::size_t at = cores; at < locale.samples.size(); at += cores)
      entry["seconds"].push_back(seconds(locale.samples[at].ns));
    for (std::size_t core = 0; core < cores; ++core)
      entry["cores"].push_back(core_json(locale, core));
    result.push_back(std::move(entry));
  }
  return result;
}

Chart series_chart(const std::string& title, const std::vector<LocaleSeries>& series) {
  Chart chart;
  chart.title = title;
  chart.x = {.title = "seconds"};
  Panel tasks{.title = "Tasks begun and not ended",
              .series = {},
              .references = {},
              .y = Axis{.title = "tasks"}};
  Panel messages{
      .title = "Messages", .series = {}, .references = {}, .y = Axis{.title = "a second"}};
  Panel bytes{.title = "Bytes handed over",
              .series = {},
              .references = {},
              .y = Axis{.title = "MB a second"}};
  std::vector<std::pair<std::string, std::vector<Period>>> lines;
  std::vector<std::vector<Period>> locales;
  for (const LocaleSeries& locale : series) {
    locales.push_back(periods_of(locale));
    if (series.size() > 1 && series.size() <= kMaxLines)
      lines.emplace_back(fmt::format("locale {}", locale.locale), locales.back());
  }
  lines.emplace_back("all", sum_of(locales));
  for (const auto& [name, periods] : lines) {
    for (const Period& period : periods) {
      const double length = period.end - period.begin;
      tasks.line(name).points.push_back({period.end, period.tasks});
      if (name == "all") tasks.line("suspended").points.push_back({period.end, period.suspended});
      messages.line(name).points.push_back({period.end, period.messages / length});
      bytes.line(name).points.push_back({period.end, period.bytes / length * 1e-6});
    }
  }
  // No markers, of which there would be too many.
  for (Panel* panel : {&tasks, &messages, &bytes}) {
    for (Series& line : panel->series) line.markers = false;
    chart.panels.push_back(std::move(*panel));
  }
  return chart;
}

}  // namespace grappa::cli
