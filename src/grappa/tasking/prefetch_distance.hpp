#pragma once

// How many switches before a worker runs its stack should be prefetched.
//
// The best distance is the memory's latency divided by the time of a switch, up to the number of
// lines that the processor can have in flight; too short a distance is worse than none (a prefetch
// that comes too late costs and does not help). Both depend on the machine, so it is measured: a
// walk over lines in random order, through more memory than the caches hold, with several
// distances.

namespace grappa::internal {

/// The distance with which the walk was fastest. Measured at the first call in the process, which
/// takes some milliseconds; a property of the machine. Any thread.
int measured_prefetch_distance();

}  // namespace grappa::internal
