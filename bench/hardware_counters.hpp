#pragma once

// What the processor counts while threads run: cache misses, loads of the last-level cache, …
//
//   const HardwareCounters counters({counter_event("LLC-loads"), counter_event("cache-misses")});
//   grappa::run(config, [&] {
//     const auto before = counters.read();
//     …
//     const std::vector<double> counts = counted(before, counters.read());   // by names()
//   });
//
// Counted is what the thread that makes the object does in user mode, and all threads that it or
// they start from then on: make it before the run whose cores are to be counted. By
// perf_event_open(2), which machines may forbid, and virtual machines often have no counters for:
// an event that does not open is among missing(), with the reason, and the others count. Where a
// processor has fewer counters than events, each counts a part of the time, and is scaled up.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace grappa::bench {

struct CounterEvent {
  std::string name;  // as perf-list(1) has it
  std::uint32_t type = 0;
  std::uint64_t config = 0;
};

/// Those that counter_event knows.
std::vector<std::string> counter_names();
/// Throws UsageError for a name that is not one of counter_names().
CounterEvent counter_event(std::string_view name);

/// A counter at a moment.
struct CounterReading {
  std::uint64_t value = 0;
  std::uint64_t enabled_ns = 0;  // of all threads
  std::uint64_t running_ns = 0;  // of these: while it had a counter of the processor
};

/// What was counted between two readings of the same counters; 0 of one that never ran.
std::vector<double> counted(const std::vector<CounterReading>& before,
                            const std::vector<CounterReading>& after);

class HardwareCounters {
 public:
  struct Missing {
    std::string name;
    std::string reason;
  };

  explicit HardwareCounters(const std::vector<CounterEvent>& events);
  HardwareCounters(const HardwareCounters&) = delete;
  HardwareCounters& operator=(const HardwareCounters&) = delete;
  ~HardwareCounters();

  /// Of those that count, in the order in which they were given.
  const std::vector<std::string>& names() const { return names_; }
  const std::vector<Missing>& missing() const { return missing_; }

  /// By any thread. Throws Error when the system does not let it.
  std::vector<CounterReading> read() const;

 private:
  std::vector<std::string> names_;
  std::vector<int> files_;
  std::vector<Missing> missing_;
};

}  // namespace grappa::bench
