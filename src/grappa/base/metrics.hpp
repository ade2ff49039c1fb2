#pragma once

// Metrics: counters, peaks and histograms that any layer declares by name and any core updates at
// the price of a few instructions.
//
//   inline const metrics::Counter kMessagesSent{"message.sent", "messages appended"};
//   kMessagesSent.add(3);    // anywhere
//   fmt::print("{}", to_text(registry.snapshot()));
//
// Only names are global. Values live in one MetricsBlock a core, owned by the MetricsRegistry of
// its locale, written by that core alone and summed when somebody asks. A thread says which core
// it is by metrics::set_current(&block); on a thread that never did, updates go nowhere.
//
// Caveats: a name is registered once for the life of the process, and there is room for
// kMetricSlots words in all (a counter or peak takes 1, a histogram kHistogramSlots). Too many, an
// empty name, or a name with two kinds ends the program with a message, since it happens before
// main(). Thread safety: add/raise_to/record touch the caller's block only; snapshot may run on any
// thread at any time and sees values that are a moment old, each untorn. Nothing here suspends a
// task.

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace grappa {

namespace internal {

/// Words for the values of all metrics, in each core's block.
inline constexpr int kMetricSlots = 1024;
/// A histogram has bucket 0 for the value 0, bucket b for [2^(b-1), 2^b), and a last one for the
/// rest; its last slot is the sum of the values.
inline constexpr int kHistogramBuckets = 47;
inline constexpr int kHistogramSlots = kHistogramBuckets + 1;

}  // namespace internal

enum class MetricKind { kCounter, kPeak, kHistogram };

namespace internal {

/// The values of one core. Atomic so that others may read them; written with plain load and store.
struct alignas(64) MetricsBlock {
  std::array<std::atomic<std::uint64_t>, kMetricSlots> slots{};
};

}  // namespace internal

namespace metrics {

namespace detail {
// Where the updates of threads that are no core go. Never read.
inline constinit internal::MetricsBlock sink{};
inline constinit thread_local internal::MetricsBlock* current_block = &sink;

// The first slot of the metric with this name, which is made if there is none.
int register_metric(std::string_view name, std::string_view help, MetricKind kind) noexcept;
}  // namespace detail

/// Makes `block` the one that the calling thread updates; null for none. To nest, keep current()
/// and set it again.
inline void set_current(internal::MetricsBlock* block) noexcept {
  detail::current_block = block != nullptr ? block : &detail::sink;
}

/// The calling thread's block; null when none was set.
inline internal::MetricsBlock* current() noexcept {
  return detail::current_block == &detail::sink ? nullptr : detail::current_block;
}

}  // namespace metrics

namespace metrics {

/// A number that grows.
class Counter {
 public:
  Counter(std::string_view name, std::string_view help) noexcept
      : slot_(metrics::detail::register_metric(name, help, MetricKind::kCounter)) {}

  void add(std::uint64_t n = 1) const noexcept { add_to(*metrics::detail::current_block, n); }

  /// For code that has its core's block at hand.
  void add_to(internal::MetricsBlock& block, std::uint64_t n = 1) const noexcept {
    auto& value = block.slots[static_cast<std::size_t>(slot_)];
    value.store(value.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
  }

  std::uint64_t value_in(const internal::MetricsBlock& block) const noexcept {
    return block.slots[static_cast<std::size_t>(slot_)].load(std::memory_order_relaxed);
  }

 private:
  int slot_;
};

/// The largest value seen. Its total is the maximum over the cores, not the sum.
class Peak {
 public:
  Peak(std::string_view name, std::string_view help) noexcept
      : slot_(metrics::detail::register_metric(name, help, MetricKind::kPeak)) {}

  void raise_to(std::uint64_t n) const noexcept {
    auto& value = metrics::detail::current_block->slots[static_cast<std::size_t>(slot_)];
    if (n > value.load(std::memory_order_relaxed)) value.store(n, std::memory_order_relaxed);
  }

 private:
  int slot_;
};

/// How often values of each magnitude occurred.
class Histogram {
 public:
  Histogram(std::string_view name, std::string_view help) noexcept
      : slot_(metrics::detail::register_metric(name, help, MetricKind::kHistogram)) {}

  void record(std::uint64_t value) const noexcept {
    record_to(*metrics::detail::current_block, value);
  }

  /// For code that has its core's block at hand.
  void record_to(internal::MetricsBlock& block, std::uint64_t value) const noexcept {
    auto* first = &block.slots[static_cast<std::size_t>(slot_)];
    bump(first[bucket_of(value)], 1);
    bump(first[internal::kHistogramBuckets], value);
  }

  static constexpr int bucket_of(std::uint64_t value) noexcept {
    const int width = std::bit_width(value);
    return width < internal::kHistogramBuckets ? width : internal::kHistogramBuckets - 1;
  }

 private:
  static void bump(std::atomic<std::uint64_t>& slot, std::uint64_t n) noexcept {
    slot.store(slot.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
  }

  int slot_;
};

}  // namespace metrics

/// One metric with its values at one moment.
struct MetricValue {
  std::string name;
  std::string help;
  MetricKind kind = MetricKind::kCounter;
  std::uint64_t total = 0;              // sum; of a peak the largest; of a histogram the count
  std::vector<std::uint64_t> per_core;  // the same for each core
  /// Histograms only, over all cores:
  std::uint64_t sum = 0;
  std::vector<std::uint64_t> buckets;  // up to the last one that is not 0
};

/// All metrics, ordered by name.
using MetricsSnapshot = std::vector<MetricValue>;

namespace internal {

/// The blocks of a locale's cores. The blocks stay where they are for the life of the registry.
class MetricsRegistry {
 public:
  explicit MetricsRegistry(int cores);

  MetricsBlock& block(int core) noexcept { return blocks_[static_cast<std::size_t>(core)]; }
  int core_count() const noexcept { return cores_; }

  MetricsSnapshot snapshot() const;

  /// The values as plain numbers, for another process of the same program; of_values makes a
  /// registry of them again. Throws UsageError if there are values for another number of metrics.
  std::vector<std::uint64_t> values() const;
  static MetricsRegistry of_values(const std::vector<std::uint64_t>& values, int cores);

  /// Sets every value to 0. Only while no core is running.
  void reset() noexcept;

 private:
  int cores_;
  std::unique_ptr<MetricsBlock[]> blocks_;
};

}  // namespace internal

/// Joins the snapshots of several locales into one; the cores follow each other in this order.
MetricsSnapshot merge(const std::vector<MetricsSnapshot>& locales);

/// A table, one line a metric that is not 0, histograms with mean and quantiles.
std::string to_text(const MetricsSnapshot& snapshot);

/// One JSON object: {"message.sent": {"help", "kind", "total", "per_core": [...]}, ...}; histograms
/// have "count", "sum" and "buckets" ([{"below", "count"}]) too. Zero values are included.
std::string to_json(const MetricsSnapshot& snapshot);

}  // namespace grappa
