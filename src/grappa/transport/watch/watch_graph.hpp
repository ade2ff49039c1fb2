#pragma once

// Who watches whom in a job of many processes.

#include <vector>

namespace grappa {

// The ranks that `rank` has a connection to, ascending; symmetric. Everybody up to 64 processes.
// Beyond that rank 0, which has all, and the two neighbors on either side of a ring: whoever is
// lost is seen by five others, and every one hears of it over two hops, or by itself if rank 0 is
// the one.
std::vector<int> watched_peers(int rank, int size);

}  // namespace grappa
