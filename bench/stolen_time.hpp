#pragma once

// Processor time that the host of a virtual machine took from it.

#include <cstdint>

namespace grappa::bench {

/// The time that the host gave to others while a processor of this machine had work: "steal" of
/// proc(5), summed over the processors, since the machine started. 0 where there is no host, or
/// none that says it.
std::int64_t stolen_ns();

/// The fraction of a span of time that was stolen, summed over the processors: 0.1 when one of them
/// stood for a tenth of it. It is counted in clock ticks (10 ms), so a short span has either none
/// or much.
class StolenFraction {
 public:
  StolenFraction();
  double so_far() const;

 private:
  std::int64_t start_ns_;
  std::int64_t stolen_at_start_ns_;
};

}  // namespace grappa::bench
