#pragma once

// Who watches whom in a job of many processes.

#include <vector>

namespace grappa::internal {

/// The ranks that `rank` has a connection to, ascending; symmetric. Up to 64 processes: all others.
/// Beyond that: rank 0, which is connected to all, and the two neighbors on either side of a ring.
/// Five others notice the loss of a process, and everybody hears of it within two hops, or notices
/// it if rank 0 is lost.
std::vector<int> watched_peers(int rank, int size);

}  // namespace grappa::internal
