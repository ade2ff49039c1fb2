#pragma once

// How often something is done: every so many iterations, or every so many seconds.
//
//   Interval every = parse_interval("5min");    // "10": iterations; "30s", "5min", "2h": time
//
// Errors: UsageError for anything else, or for nothing at all ("0").

#include <cstdint>
#include <string_view>

namespace grappa::graph {

struct Interval {
  std::int64_t iterations = 0;  // 0: it goes by the time
  double seconds = 600;
};

Interval parse_interval(std::string_view text);

}  // namespace grappa::graph
