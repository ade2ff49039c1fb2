#include "grappa/base/metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "grappa/base/error.hpp"
#include "grappa/base/metric_names.hpp"

namespace grappa {
namespace {

std::uint64_t slot_of(const internal::MetricsBlock& block, int slot) noexcept {
  return block.slots[static_cast<std::size_t>(slot)].load(std::memory_order_relaxed);
}

void join_peak(MetricValue& value, std::uint64_t of_core) {
  value.per_core.push_back(of_core);
  value.total = std::max(value.total, of_core);
}

void join_count(MetricValue& value, std::uint64_t of_core) {
  value.per_core.push_back(of_core);
  value.total += of_core;
}

void join_histogram(MetricValue& value, const internal::MetricsBlock& block, int slot) {
  value.buckets.resize(internal::kHistogramBuckets);
  std::uint64_t count = 0;
  for (int bucket = 0; bucket < internal::kHistogramBuckets; ++bucket) {
    const std::uint64_t n = slot_of(block, slot + bucket);
    value.buckets[static_cast<std::size_t>(bucket)] += n;
    count += n;
  }
  value.sum += slot_of(block, slot + internal::kHistogramBuckets);
  join_count(value, count);
}

void drop_empty_tail(std::vector<std::uint64_t>& buckets) {
  while (!buckets.empty() && buckets.back() == 0) buckets.pop_back();
}

// Adds the values of the cores of another locale.
void join(MetricValue& into, const MetricValue& from) {
  for (const std::uint64_t of_core : from.per_core) {
    if (into.kind == MetricKind::kPeak) {
      join_peak(into, of_core);
    } else {
      join_count(into, of_core);
    }
  }
  into.sum += from.sum;
  into.buckets.resize(std::max(into.buckets.size(), from.buckets.size()));
  for (std::size_t i = 0; i < from.buckets.size(); ++i) into.buckets[i] += from.buckets[i];
}

}  // namespace

namespace metrics::detail {

int register_metric(std::string_view name, std::string_view help, MetricKind kind) noexcept {
  try {
    return internal::MetricNames::global().add(name, help, kind);
  } catch (const std::exception& e) {
    internal::fatal(e.what());
  }
}

}  // namespace metrics::detail

namespace internal {

MetricsRegistry::MetricsRegistry(int cores) : cores_(cores) {
  if (cores < 1) {
    throw UsageError(fmt::format("MetricsRegistry: {} cores, at least 1 is needed", cores));
  }
  blocks_ = std::make_unique<MetricsBlock[]>(static_cast<std::size_t>(cores));
}

MetricsSnapshot MetricsRegistry::snapshot() const {
  MetricsSnapshot result;
  for (const MetricNames::Entry& entry : MetricNames::global().sorted()) {
    MetricValue value;
    value.name = entry.name;
    value.help = entry.help;
    value.kind = entry.kind;
    for (int core = 0; core < cores_; ++core) {
      const MetricsBlock& block = blocks_[static_cast<std::size_t>(core)];
      switch (entry.kind) {
        case MetricKind::kCounter:
          join_count(value, slot_of(block, entry.slot));
          break;
        case MetricKind::kPeak:
          join_peak(value, slot_of(block, entry.slot));
          break;
        case MetricKind::kHistogram:
          join_histogram(value, block, entry.slot);
          break;
      }
    }
    drop_empty_tail(value.buckets);
    result.push_back(std::move(value));
  }
  return result;
}

std::vector<std::uint64_t> MetricsRegistry::values() const {
  const int slots = MetricNames::global().slot_count();
  std::vector<std::uint64_t> values;
  for (int core = 0; core < cores_; ++core) {
    for (int slot = 0; slot < slots; ++slot)
      values.push_back(slot_of(blocks_[static_cast<std::size_t>(core)], slot));
  }
  return values;
}

MetricsRegistry MetricsRegistry::of_values(const std::vector<std::uint64_t>& values, int cores) {
  MetricsRegistry registry(cores);
  const auto slots = static_cast<std::size_t>(MetricNames::global().slot_count());
  if (values.size() != slots * static_cast<std::size_t>(cores))
    throw UsageError("MetricsRegistry: the values are those of other metrics");
  for (std::size_t i = 0; i < values.size(); ++i)
    registry.blocks_[i / slots].slots[i % slots].store(values[i], std::memory_order_relaxed);
  return registry;
}

void MetricsRegistry::reset() noexcept {
  for (int core = 0; core < cores_; ++core) {
    for (auto& slot : block(core).slots) slot.store(0, std::memory_order_relaxed);
  }
}

}  // namespace internal

MetricsSnapshot merge(const std::vector<MetricsSnapshot>& locales) {
  MetricsSnapshot result;
  if (locales.empty()) return result;
  result = locales.front();
  for (std::size_t i = 1; i < locales.size(); ++i) {
    const bool same = std::equal(result.begin(), result.end(), locales[i].begin(), locales[i].end(),
                                 [](const MetricValue& a, const MetricValue& b) {
                                   return a.name == b.name && a.kind == b.kind;
                                 });
    if (!same) throw UsageError("merge: the locales do not have the same metrics");
    for (std::size_t j = 0; j < result.size(); ++j) join(result[j], locales[i][j]);
  }
  return result;
}

}  // namespace grappa
