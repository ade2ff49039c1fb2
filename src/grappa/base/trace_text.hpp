#pragma once

// What cores have recorded, as events of a timeline in Chrome's trace format, which
// https://ui.perfetto.dev opens: a process a locale, a thread a core.
//
//   file.write({trace_of_core({.locale = 0, .core = 3}, recorder, TraceClock{})});
//
// Any thread may ask for the events of any core, while it runs, too.

#include <cstdint>
#include <string>

#include "grappa/base/core_recorder.hpp"

namespace grappa::internal {

/// From the clock of a process (now_ns) to that of the timeline: a line through two points.
struct TraceClock {
  std::uint64_t here = 0;
  std::uint64_t there = 0;
  double rate = 1;

  /// When two moments are known by both clocks. Close to one another they say nothing of the rate.
  static TraceClock through(std::uint64_t here_first, std::uint64_t there_first,
                            std::uint64_t here_last, std::uint64_t there_last);

  /// Nanoseconds.
  std::uint64_t at(std::uint64_t ns) const {
    const double since = static_cast<double>(static_cast<std::int64_t>(ns - here)) * rate;
    return there + static_cast<std::uint64_t>(static_cast<std::int64_t>(since));
  }
};

struct TraceCore {
  int locale;
  int core;  // over all locales
};

/// Objects of JSON with ",\n" between them; at least one.
std::string trace_of_core(const TraceCore& core, const CoreRecorder& recorder,
                          const TraceClock& clock);

}  // namespace grappa::internal
