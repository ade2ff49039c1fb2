#pragma once

// Labels in a column, each as close as possible to what it names, without overlaps.

#include <vector>

namespace grappa::cli {

/// Positions at least `gap` apart within [low, high], in the order of `wanted`, which ascends, and
/// together as near to `wanted` as that allows (least squares: isotonic regression by pooling
/// adjacent violators, M. Ayer et al., Annals of Mathematical Statistics 26, 1955). Where they do
/// not all fit they go beyond `high`.
std::vector<double> move_apart(const std::vector<double>& wanted, double gap, double low,
                               double high);

}  // namespace grappa::cli
