#include "bench/stolen_time.hpp"

#include <unistd.h>

#include <fstream>
#include <string>

#include "grappa/base/clock.hpp"

namespace grappa::bench {

std::int64_t stolen_ns() {
  // cpu user nice system idle iowait irq softirq steal ...
  constexpr int kFieldsBeforeSteal = 7;
  std::ifstream stat("/proc/stat");
  std::string name;
  stat >> name;
  std::int64_t ticks = 0;
  for (int field = 0; field <= kFieldsBeforeSteal; ++field) {
    if (!(stat >> ticks)) return 0;
  }
  return ticks * (1'000'000'000 / sysconf(_SC_CLK_TCK));
}

StolenFraction::StolenFraction()
    : start_ns_(static_cast<std::int64_t>(internal::now_ns())), stolen_at_start_ns_(stolen_ns()) {}

double StolenFraction::so_far() const {
  const auto elapsed = static_cast<std::int64_t>(internal::now_ns()) - start_ns_;
  if (elapsed <= 0) return 0;
  return static_cast<double>(stolen_ns() - stolen_at_start_ns_) / static_cast<double>(elapsed);
}

}  // namespace grappa::bench
