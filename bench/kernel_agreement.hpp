#pragma once

// Whether two systems agree on what a graph kernel computed.

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace grappa::bench {

/// Whether it is said here what agreement is; kernels are named as MeasuredKernel::name.
bool is_compared(std::string_view kernel);

/// Nothing where they do, else what differs first, in words. Both are as PreparedKernel::values();
/// labels of components may be any numbers in `theirs`. Depths, components and triangles must be
/// the same, distances and dependencies within rounding, ranks in sum: after 20 iterations within
/// rounding, to a tolerance within what both may be from the limit. Only where is_compared().
std::optional<std::string> disagreement(std::string_view kernel, std::span<const double> ours,
                                        std::span<const double> theirs);

}  // namespace grappa::bench
