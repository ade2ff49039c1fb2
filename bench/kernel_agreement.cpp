#include "bench/kernel_agreement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "bench/graph_kernels.hpp"

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

std::optional<std::string> another_number(Values ours, Values theirs) {
  if (ours.front() == theirs.front()) return std::nullopt;
  return fmt::format("{:.0f} triangles instead of {:.0f}", theirs.front(), ours.front());
}

struct Comparison {
  std::string_view kernel;
  std::optional<std::string> (*difference)(Values ours, Values theirs);
};

constexpr Comparison kComparisons[] = {
    {"bfs", [](Values ours, Values theirs) { return unequal(ours, theirs, 0, 0); }},
    {"sssp", [](Values ours, Values theirs) { return unequal(ours, theirs, kRounding, 0); }},
    {"pagerank20", [](Values ours, Values theirs) { return far_apart(ours, theirs, kRounding); }},
    {"pagerank",
     [](Values ours, Values theirs) {
       // The changes that are still to come are a geometric series.
       return far_apart(ours, theirs,
                        2 * kPageRankTolerance * kPageRankDamping / (1 - kPageRankDamping));
     }},
    {"cc", another_partition},
    {"bc",
     [](Values ours, Values theirs) { return unequal(ours, theirs, kDependencyRounding, 1); }},
    {"triangles", another_number}};

const Comparison* find_comparison(std::string_view kernel) {
  const auto found = std::ranges::find(kComparisons, kernel, &Comparison::kernel);
  return found == std::end(kComparisons) ? nullptr : found;
}

}  // namespace

bool is_compared(std::string_view kernel) { return find_comparison(kernel) != nullptr; }

std::optional<std::string> disagreement(std::string_view kernel, Values ours, Values theirs) {
  if (ours.size() != theirs.size())
    return fmt::format("{} values instead of {}", theirs.size(), ours.size());
  return find_comparison(kernel)->difference(ours, theirs);
}

}  // namespace grappa::bench
