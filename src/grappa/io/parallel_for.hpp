#pragma once

// How readers, writers and generators divide their work without knowing who does it.
//
//   for_parts(serial_for(), 7, [](int64_t part) { use(part); });      // on the calling thread
//   for_ranges(parallel, n, 1 << 16, [&](int64_t begin, int64_t end) { … });
//
// A ParallelFor calls body(0) ... body(n - 1), each once, in any order and on any core, and returns
// when all have returned; what they wrote is then visible to the caller. A body may run on a small
// stack, so it keeps its large buffers on the heap, and it must not throw through the ParallelFor:
// a runtime may turn an exception that crosses cores into one of another type. for_parts() and
// for_ranges() take care of that: they catch, and rethrow the exception of the lowest index.

#include <cstdint>
#include <functional>

namespace grappa::io {

using ParallelFor =
    std::function<void(std::int64_t n, const std::function<void(std::int64_t)>& body)>;

/// Runs the bodies in ascending order on the calling thread.
const ParallelFor& serial_for();

/// Calls body(0) ... body(n - 1) through `parallel`. Rethrows what the lowest failing index threw.
void for_parts(const ParallelFor& parallel, std::int64_t n,
               const std::function<void(std::int64_t)>& body);

/// Splits 0 ... n - 1 into ranges of `grain` elements (the last may be shorter) and calls
/// body(begin, end) for each of them. Rethrows what the lowest failing range threw.
void for_ranges(const ParallelFor& parallel, std::int64_t n, std::int64_t grain,
                const std::function<void(std::int64_t, std::int64_t)>& body);

}  // namespace grappa::io
