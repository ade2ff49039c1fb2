#pragma once

// What a simulated network does to the time of a run, said before it begins.
//
//   warn_of_slow_simulation(line.config());     // "even a small run will take about 3 hours: …"

#include "grappa/base/config.hpp"

namespace grappa::cli {

/// About how long the smallest run takes on a simulated cluster, in seconds: its start, what it
/// waits for the network, and what it sends.
double least_simulated_seconds(const Config& config);

/// One line on standard error if that is long: also of a quiet run, which seems to hang otherwise.
void warn_of_slow_simulation(const Config& config);

}  // namespace grappa::cli
