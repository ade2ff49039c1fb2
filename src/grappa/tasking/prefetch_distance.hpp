#pragma once

// How many switches before a worker runs its stack is to be prefetched.
//
// The best distance is the memory's latency over the time of a switch, as far as the processor can
// have so many lines on their way; too short a one is worse than none (a prefetch that comes too
// late costs and does not help). Both depend on the machine, so it is measured: a walk over lines
// in random order through more memory than the caches hold, which prefetches at several distances.

namespace grappa {

/// The distance with which the walk was fastest. Measured at the first call in the process, which
/// takes some milliseconds; a property of the machine. Any thread.
int measured_prefetch_distance();

}  // namespace grappa
