#pragma once

// Where the time of a run went, for people.
//
//   fmt::print(stderr, "{}", time_table(metrics_snapshot()));
//
// A line for each core (for all together only, where there are many): the share of its time that
// went to the program, to scheduling, aggregation and the network, and that it was idle, which sum
// to 100 %; the most tasks that it had begun and not ended, and how many of them waited at most;
// and messages and bytes a second. Empty for a run that did not record it (Config::records).

#include <string>

#include "grappa/base/metrics.hpp"

namespace grappa::internal {

std::string time_table(const MetricsSnapshot& snapshot);

}  // namespace grappa::internal
