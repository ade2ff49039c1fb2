#include "bench/hardware_counters.hpp"

#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "grappa/base/error.hpp"

namespace grappa::bench {
namespace {

constexpr std::uint64_t of_cache(std::uint64_t cache, std::uint64_t operation,
                                 std::uint64_t result) {
  return cache | operation << 8 | result << 16;
}

const std::vector<CounterEvent>& known_events() {
  static const std::vector<CounterEvent> events = {
      {"cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES},
      {"cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
      {"LLC-loads", PERF_TYPE_HW_CACHE,
       of_cache(PERF_COUNT_HW_CACHE_LL, PERF_COUNT_HW_CACHE_OP_READ,
                PERF_COUNT_HW_CACHE_RESULT_ACCESS)},
      {"LLC-load-misses", PERF_TYPE_HW_CACHE,
       of_cache(PERF_COUNT_HW_CACHE_LL, PERF_COUNT_HW_CACHE_OP_READ,
                PERF_COUNT_HW_CACHE_RESULT_MISS)},
      {"LLC-stores", PERF_TYPE_HW_CACHE,
       of_cache(PERF_COUNT_HW_CACHE_LL, PERF_COUNT_HW_CACHE_OP_WRITE,
                PERF_COUNT_HW_CACHE_RESULT_ACCESS)},
      {"L1-dcache-load-misses", PERF_TYPE_HW_CACHE,
       of_cache(PERF_COUNT_HW_CACHE_L1D, PERF_COUNT_HW_CACHE_OP_READ,
                PERF_COUNT_HW_CACHE_RESULT_MISS)},
      // Counted by the system: there on machines without counters, too.
      {"page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
  };
  return events;
}

/// A file descriptor, or -1 with errno.
int open_event(const CounterEvent& event) {
  perf_event_attr attributes{};
  attributes.size = sizeof(attributes);
  attributes.type = event.type;
  attributes.config = event.config;
  attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  attributes.inherit = 1;
  attributes.exclude_kernel = 1;  // which everybody may count
  attributes.exclude_hv = 1;
  return static_cast<int>(
      ::syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
}

std::string reason_of(int error) {
  if (error == EACCES || error == EPERM) {
    std::string level = "unknown";
    std::ifstream("/proc/sys/kernel/perf_event_paranoid") >> level;
    return fmt::format("not allowed, perf_event_paranoid is {}", level);
  }
  if (error == ENOENT || error == ENODEV || error == EOPNOTSUPP || error == EINVAL)
    return "the processor, or the virtual machine, does not count it";
  return std::strerror(error);
}

}  // namespace

std::vector<std::string> counter_names() {
  std::vector<std::string> names;
  for (const CounterEvent& event : known_events()) names.push_back(event.name);
  return names;
}

CounterEvent counter_event(std::string_view name) {
  const auto& all = known_events();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const CounterEvent& event) { return event.name == name; });
  if (found == all.end()) throw UsageError(fmt::format("{}: no such event is known", name));
  return *found;
}

std::vector<double> counted(const std::vector<CounterReading>& before,
                            const std::vector<CounterReading>& after) {
  std::vector<double> counts;
  for (std::size_t i = 0; i < after.size(); ++i) {
    const auto value = static_cast<double>(after[i].value - before[i].value);
    const auto enabled = static_cast<double>(after[i].enabled_ns - before[i].enabled_ns);
    const auto running = static_cast<double>(after[i].running_ns - before[i].running_ns);
    counts.push_back(running == 0 ? 0 : value * enabled / running);
  }
  return counts;
}

HardwareCounters::HardwareCounters(const std::vector<CounterEvent>& events) {
  for (const CounterEvent& event : events) {
    const int file = open_event(event);
    if (file < 0) {
      missing_.push_back({event.name, reason_of(errno)});
    } else {
      names_.push_back(event.name);
      files_.push_back(file);
    }
  }
}

HardwareCounters::~HardwareCounters() {
  for (const int file : files_) ::close(file);
}

std::vector<CounterReading> HardwareCounters::read() const {
  std::vector<CounterReading> readings(files_.size());
  static_assert(sizeof(CounterReading) == 3 * sizeof(std::uint64_t));  // as the system writes it
  for (std::size_t i = 0; i < files_.size(); ++i) {
    const ssize_t bytes = ::read(files_[i], &readings[i], sizeof(CounterReading));
    if (bytes != sizeof(CounterReading))
      throw Error(fmt::format("the counter {} cannot be read", names_[i]));
  }
  return readings;
}

}  // namespace grappa::bench
