// What the tasking layer counts.
#pragma once

#include "grappa/base/metrics.hpp"

namespace grappa {

inline const Counter kTasksRun{"tasking.tasks", "tasks run"};
inline const Counter kSuspensions{"tasking.suspensions", "times a task suspended"};
inline const Counter kWorkersCreated{"tasking.workers", "workers (stacks) created"};
inline const Counter kTasksStolen{"tasking.tasks_stolen", "tasks taken from another core"};
inline const Counter kRangesStolen{"tasking.ranges_stolen",
                                   "parts of loops taken from another core"};
inline const Counter kParks{"tasking.parks", "times a thread went to sleep"};

}  // namespace grappa
