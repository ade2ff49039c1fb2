#pragma once

// Whether two systems agree on what a graph kernel computed.

#include <optional>
#include <span>
#include <string>

#include "bench/graph_kernels.hpp"

namespace grappa::bench {

/// Nothing where they do, else what differs first, in words. Both are as KernelRun::values; labels
/// of components may be any numbers in `theirs`. Depths, components and triangles must be the same,
/// distances and dependencies within rounding, ranks in sum: after 20 iterations within rounding,
/// to a tolerance within what both may be from the limit.
std::optional<std::string> disagreement(GraphKernel kernel, std::span<const double> ours,
                                        std::span<const double> theirs);

}  // namespace grappa::bench
