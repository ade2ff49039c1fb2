#pragma once

// What the tasking layer counts.

#include "grappa/base/metrics.hpp"

namespace grappa::internal {

inline const metrics::Counter kTasksRun{"tasking.tasks", "tasks run"};
inline const metrics::Counter kSuspensions{"tasking.suspensions", "times a task suspended"};
inline const metrics::Counter kWorkersCreated{"tasking.workers", "workers (stacks) created"};
inline const metrics::Counter kSteals{"tasking.steals", "times tasks were taken from another core"};
inline const metrics::Counter kTasksStolen{"tasking.tasks_stolen", "tasks taken from another core"};
inline const metrics::Counter kRangesStolen{"tasking.ranges_stolen",
                                            "parts of loops taken from another core"};
inline const metrics::Histogram kPassGap{"tasking.pass_gap_ns",
                                         "time between looks at messages and deadlines while busy"};
inline const metrics::Histogram kSystemTaskDelay{"tasking.system_delay_ns",
                                                 "how long after its deadline a system task ran"};
inline const metrics::Counter kParks{"tasking.parks", "times a thread went to sleep"};

}  // namespace grappa::internal
