#include "grappa/base/metric_names.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "grappa/base/error.hpp"

namespace grappa::internal {

MetricNames& MetricNames::global() {
  static MetricNames* const names = new MetricNames;
  return *names;
}

int MetricNames::add(std::string_view name, std::string_view help, MetricKind kind) {
  if (name.empty()) throw UsageError("a metric has no name");
  const std::scoped_lock lock(mutex_);
  const auto known = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const Entry& entry) { return entry.name == name; });
  if (known != entries_.end()) {
    if (known->kind == kind) return known->slot;
    throw UsageError(fmt::format("metric {} is declared with two kinds", name));
  }
  const int needed = kind == MetricKind::kHistogram ? kHistogramSlots : 1;
  if (next_slot_ + needed > kMetricSlots) {
    throw UsageError(fmt::format("metric {} needs {} slots, {} of {} are left; raise kMetricSlots",
                                 name, needed, kMetricSlots - next_slot_, kMetricSlots));
  }
  entries_.push_back({std::string(name), std::string(help), kind, next_slot_});
  next_slot_ += needed;
  return entries_.back().slot;
}

int MetricNames::slot_count() const {
  const std::scoped_lock lock(mutex_);
  return next_slot_;
}

std::vector<MetricNames::Entry> MetricNames::sorted() const {
  std::vector<Entry> result;
  {
    const std::scoped_lock lock(mutex_);
    result = entries_;
  }
  std::sort(result.begin(), result.end(),
            [](const Entry& a, const Entry& b) { return a.name < b.name; });
  return result;
}

}  // namespace grappa::internal
