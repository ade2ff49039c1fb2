#pragma once

// What the tasking layer counts.

#include "grappa/base/metrics.hpp"

namespace grappa {

inline const Counter kTasksRun{"tasking.tasks", "tasks run"};
inline const Counter kSuspensions{"tasking.suspensions", "times a task suspended"};
inline const Counter kWorkersCreated{"tasking.workers", "workers (stacks) created"};
inline const Counter kSteals{"tasking.steals", "times tasks were taken from another core"};
inline const Counter kTasksStolen{"tasking.tasks_stolen", "tasks taken from another core"};
inline const Counter kRangesStolen{"tasking.ranges_stolen",
                                   "parts of loops taken from another core"};
inline const Histogram kPassGap{"tasking.pass_gap_ns",
                                "time between looks at messages and deadlines while busy"};
inline const Histogram kSystemTaskDelay{"tasking.system_delay_ns",
                                        "how long after its deadline a system task ran"};
inline const Counter kParks{"tasking.parks", "times a thread went to sleep"};

}  // namespace grappa
