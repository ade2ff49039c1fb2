#pragma once

// The rounds, levels and iterations of a kernel.

#include <cstdint>

#include "grappa/parallel/cancellation.hpp"
#include "grappa/parallel/runtime.hpp"

namespace grappa::graph {

/// Marks a round in the trace, and throws Cancelled if the kernel is to end. Called between loops
/// by the task that leads the kernel, so not within supersteps, where no locale may leave the
/// others: there they agree on it, and this ends the kernel afterwards. Does not switch tasks.
inline void mark_round(const char* what, std::int64_t number) {
  trace_mark(what, number);
  stop_if_cancelled();
}

}  // namespace grappa::graph
