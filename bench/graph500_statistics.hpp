#pragma once

// What the Graph500 benchmark says of its searches.

#include <cstdint>
#include <vector>

namespace grappa::bench {

/// Of some numbers. The quartiles are the middles of the two nearest numbers, as the
/// specification's reference code takes them; the deviation is that of a sample (0 of a single
/// number).
struct Graph500Statistics {
  double min = 0;
  double first_quartile = 0;
  double median = 0;
  double third_quartile = 0;
  double max = 0;
  double mean = 0;
  double deviation = 0;

  /// At least one number.
  static Graph500Statistics of(std::vector<double> values);
};

/// Of rates: the mean is the harmonic one, and the deviation its standard error (N. Norris, "The
/// standard errors of the geometric and harmonic means and their application to index numbers",
/// Annals of Mathematical Statistics 11, 1940). `amounts` and `seconds` are of the same length.
Graph500Statistics graph500_rates(const std::vector<double>& amounts,
                                  const std::vector<double>& seconds);

}  // namespace grappa::bench
