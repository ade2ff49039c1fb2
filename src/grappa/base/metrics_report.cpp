#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "grappa/base/metrics.hpp"

// Metrics as a table for people and as JSON for programs.

namespace grappa {
namespace {

// All values of a bucket are less than this.
std::uint64_t bound_of_bucket(std::size_t bucket) { return std::uint64_t{1} << bucket; }

// A bound that the given fraction of the values lies below.
std::string quantile(const MetricValue& value, double fraction) {
  const auto wanted = static_cast<std::uint64_t>(fraction * static_cast<double>(value.total));
  std::uint64_t seen = 0;
  for (std::size_t bucket = 0; bucket < value.buckets.size(); ++bucket) {
    seen += value.buckets[bucket];
    if (seen <= wanted && bucket + 1 < value.buckets.size()) continue;
    if (bucket + 1 == internal::kHistogramBuckets) break;
    return fmt::format("<{}", bound_of_bucket(bucket));
  }
  return fmt::format(">={}", bound_of_bucket(internal::kHistogramBuckets - 2));
}

std::string cores_text(const MetricValue& value) {
  if (value.per_core.size() < 2) return {};
  const auto [least, most] = std::minmax_element(value.per_core.begin(), value.per_core.end());
  return fmt::format("{}..{}", *least, *most);
}

std::string help_text(const MetricValue& value) {
  if (value.kind != MetricKind::kHistogram) return value.help;
  const double mean = static_cast<double>(value.sum) / static_cast<double>(value.total);
  return fmt::format("{} (mean {:.1f}, median {}, 99% {})", value.help, mean, quantile(value, 0.5),
                     quantile(value, 0.99));
}

const char* kind_name(MetricKind kind) {
  switch (kind) {
    case MetricKind::kCounter:
      return "counter";
    case MetricKind::kPeak:
      return "peak";
    case MetricKind::kHistogram:
      return "histogram";
  }
  return "";
}

nlohmann::ordered_json buckets_json(const MetricValue& value) {
  auto result = nlohmann::ordered_json::array();
  for (std::size_t bucket = 0; bucket < value.buckets.size(); ++bucket) {
    if (value.buckets[bucket] == 0) continue;
    nlohmann::ordered_json entry;
    // The last possible bucket has no upper bound.
    if (bucket + 1 < internal::kHistogramBuckets) entry["below"] = bound_of_bucket(bucket);
    entry["count"] = value.buckets[bucket];
    result.push_back(std::move(entry));
  }
  return result;
}

}  // namespace

std::string to_text(const MetricsSnapshot& snapshot) {
  std::size_t name_width = 6;
  std::size_t total_width = 5;
  std::size_t cores_width = 8;
  for (const MetricValue& value : snapshot) {
    if (value.total == 0) continue;
    name_width = std::max(name_width, value.name.size());
    total_width = std::max(total_width, fmt::formatted_size("{}", value.total));
    cores_width = std::max(cores_width, cores_text(value).size());
  }
  std::string text;
  const auto line = [&](std::string_view name, std::string_view total, std::string_view cores,
                        std::string_view help) {
    fmt::format_to(std::back_inserter(text), "{:<{}}  {:>{}}  {:>{}}  {}\n", name, name_width,
                   total, total_width, cores, cores_width, help);
  };
  line("metric", "total", "per core", "meaning");
  for (const MetricValue& value : snapshot) {
    if (value.total == 0) continue;
    line(value.name, fmt::format("{}", value.total), cores_text(value), help_text(value));
  }
  return text;
}

std::string to_json(const MetricsSnapshot& snapshot) {
  auto result = nlohmann::ordered_json::object();
  for (const MetricValue& value : snapshot) {
    nlohmann::ordered_json entry;
    entry["help"] = value.help;
    entry["kind"] = kind_name(value.kind);
    entry[value.kind == MetricKind::kHistogram ? "count" : "total"] = value.total;
    entry["per_core"] = value.per_core;
    if (value.kind == MetricKind::kHistogram) {
      entry["sum"] = value.sum;
      entry["buckets"] = buckets_json(value);
    }
    result[value.name] = std::move(entry);
  }
  return result.dump(2);
}

}  // namespace grappa
