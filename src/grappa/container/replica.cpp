#include "grappa/container/replica.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "grappa/base/closure_names.hpp"
#include "grappa/base/error.hpp"

namespace grappa::internal {

Slice slice_of(std::int64_t begin, std::int64_t end, std::int64_t k, std::int64_t parts,
               std::int64_t unit) {
  const std::int64_t units = (end - begin + unit - 1) / unit;
  return {std::min(end, begin + units * k / parts * unit),
          std::min(end, begin + units * (k + 1) / parts * unit)};
}

void require_ranges(const std::vector<Slice>& ranges, std::int64_t size, const CallSite& where) {
  std::vector<std::size_t> order;  // of those that are not empty
  for (std::size_t locale = 0; locale < ranges.size(); ++locale) {
    const auto [begin, end] = ranges[locale];
    if (begin < 0 || begin > end || end > size) {
      throw UsageError(
          fmt::format("{}Replica::all_gather: the range of locale {} is [{}, {}), the elements are "
                      "[0, {})",
                      place_prefix(&where), locale, begin, end, size));
    }
    if (begin < end) order.push_back(locale);
  }
  std::ranges::sort(order, {}, [&](std::size_t locale) { return ranges[locale].begin; });
  for (std::size_t k = 1; k < order.size(); ++k) {
    if (ranges[order[k - 1]].end > ranges[order[k]].begin) {
      throw UsageError(fmt::format("{}Replica::all_gather: the ranges of locales {} and {} overlap",
                                   place_prefix(&where), order[k - 1], order[k]));
    }
  }
}

}  // namespace grappa::internal
