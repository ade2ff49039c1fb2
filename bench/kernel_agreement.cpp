#include "bench/kernel_agreement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace grappa::bench {
namespace {

using Values = std::span<const double>;

constexpr double kRounding = 1e-9;  // relative, of sums of up to some million numbers
// Some systems take 1 from sums of dependencies, which costs digits.
constexpr double kDependencyRounding = 1e-6;

/// That they differ by at most `rounding` of the larger one, and of `unit` where both are smaller.
std::optional<std::string> unequal(Values ours, Values theirs, double rounding, double unit) {
  for (std::size_t v = 0; v < ours.size(); ++v) {
    const double a = ours[v];
    const double b = theirs[v];
    if (a == b) continue;
    const double allowed = rounding * std::max({std::abs(a), std::abs(b), unit});
    if (!std::isfinite(a) || !std::isfinite(b) || std::abs(a - b) > allowed)
      return fmt::format("vertex {}: {} instead of {}", v, b, a);
  }
  return std::nullopt;
}

std::optional<std::string> far_apart(Values ours, Values theirs, double allowed) {
  double sum = 0;
  for (std::size_t v = 0; v < ours.size(); ++v) sum += std::abs(ours[v] - theirs[v]);
  if (sum <= allowed) return std::nullopt;
  return fmt::format("the sum of the differences is {:.3g}, allowed are {:.3g}", sum, allowed);
}

std::optional<std::string> another_partition(Values ours, Values theirs) {
  std::unordered_map<double, double> smallest;  // vertex of each of their labels
  for (std::size_t v = 0; v < ours.size(); ++v) {
    const double first = smallest.try_emplace(theirs[v], static_cast<double>(v)).first->second;
    if (first != ours[v])
      return fmt::format("vertex {} is in the component of vertex {} instead of that of vertex {}",
                         v, first, ours[v]);
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> disagreement(GraphKernel kernel, Values ours, Values theirs) {
  if (ours.size() != theirs.size())
    return fmt::format("{} values instead of {}", theirs.size(), ours.size());
  switch (kernel) {
    case GraphKernel::kBfs:
      return unequal(ours, theirs, 0, 0);
    case GraphKernel::kTriangles:
      if (ours.front() == theirs.front()) return std::nullopt;
      return fmt::format("{:.0f} triangles instead of {:.0f}", theirs.front(), ours.front());
    case GraphKernel::kSssp:
      return unequal(ours, theirs, kRounding, 0);
    case GraphKernel::kBetweenness:
      return unequal(ours, theirs, kDependencyRounding, 1);
    case GraphKernel::kPageRank20:
      return far_apart(ours, theirs, kRounding);
    case GraphKernel::kPageRank:
      // The changes that are still to come are a geometric series.
      return far_apart(ours, theirs,
                       2 * kPageRankTolerance * kPageRankDamping / (1 - kPageRankDamping));
    case GraphKernel::kComponents:
      return another_partition(ours, theirs);
  }
  return "no such kernel";
}

}  // namespace grappa::bench
