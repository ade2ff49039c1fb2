#include "grappa/base/time_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <numeric>
#include <string_view>
#include <vector>

#include "grappa/base/text_values.hpp"

namespace grappa::internal {
namespace {

constexpr std::size_t kMaxCores = 64;  // with a line each

using Values = std::vector<std::uint64_t>;  // by core

Values of_cores(const MetricsSnapshot& snapshot, std::string_view name) {
  const auto found = std::ranges::find(snapshot, name, &MetricValue::name);
  return found == snapshot.end() ? Values{} : found->per_core;
}

Values sum(Values a, const Values& b) {
  std::ranges::transform(a, b, a.begin(), std::plus<>());
  return a;
}

struct Column {
  std::string_view title;
  Values ns;
};

}  // namespace

std::string time_table(const MetricsSnapshot& snapshot) {
  const auto time = [&](std::string_view what) {
    return of_cores(snapshot, fmt::format("time.{}_ns", what));
  };
  std::vector<Column> columns = {{"program", time("program")},
                                 {"scheduling", time("scheduling")},
                                 {"aggregation", time("aggregation")},
                                 {"network", time("network")},
                                 {"idle", sum(time("idle"), time("parked"))}};
  if (const Values elsewhere = time("elsewhere");
      std::ranges::any_of(elsewhere, [](std::uint64_t ns) { return ns != 0; }))
    columns.push_back({"elsewhere", elsewhere});
  const Values tasks = of_cores(snapshot, "tasking.most_live");
  const Values suspended = of_cores(snapshot, "tasking.most_suspended");
  const Values messages = of_cores(snapshot, "message.messages");
  const Values bytes = of_cores(snapshot, "message.bytes");

  Values elapsed(columns.front().ns.size());
  for (const Column& column : columns) elapsed = sum(std::move(elapsed), column.ns);
  const std::uint64_t all = std::reduce(elapsed.begin(), elapsed.end());
  if (all == 0) return {};

  std::string text = fmt::format("{:>6}", "core");
  const auto put = [&text]<class... Args>(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text), format, std::forward<Args>(args)...);
  };
  for (const Column& column : columns) put("{:>13}", column.title);
  put("{:>12}{:>12}{:>12}{:>14}\n", "most tasks", "suspended", "messages/s", "bytes/s");

  // `at` and what it sums up: the values of one core, or of all.
  const auto line = [&](std::string_view name, std::size_t first, std::size_t last) {
    const auto of = [&](const Values& values) {
      return std::reduce(values.begin() + static_cast<std::ptrdiff_t>(first),
                         values.begin() + static_cast<std::ptrdiff_t>(last));
    };
    const auto ns = static_cast<double>(of(elapsed));
    const double seconds = ns * 1e-9 / static_cast<double>(last - first);
    const auto rate = [&](const Values& values) {
      return static_cast<std::uint64_t>(static_cast<double>(of(values)) / seconds);
    };
    put("{:>6}", name);
    for (const Column& column : columns)
      put("{:>11.1f} %", 100 * static_cast<double>(of(column.ns)) / ns);
    put("{:>12}{:>12}{:>12}{:>14}\n", of(tasks), of(suspended), rate(messages),
        format_bytes(rate(bytes)));
  };
  const std::size_t cores = elapsed.size();
  for (std::size_t core = 0; core < cores && cores <= kMaxCores; ++core) {
    if (elapsed[core] != 0) line(fmt::format("{}", core), core, core + 1);
  }
  if (cores > 1) line("all", 0, cores);
  put("of {:.3f} s; tasks are those that had begun and not ended\n\n",
      static_cast<double>(*std::ranges::max_element(elapsed)) * 1e-9);
  return text;
}

}  // namespace grappa::internal
