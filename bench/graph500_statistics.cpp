#include "bench/graph500_statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace grappa::bench {

Graph500Statistics Graph500Statistics::of(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t n = values.size();
  const std::size_t last = n - 1;
  const auto middle = [&](std::size_t a, std::size_t b) { return (values[a] + values[b]) / 2; };
  Graph500Statistics s{.min = values.front(),
                       .first_quartile = middle(last / 4, n / 4),
                       .median = middle(last / 2, n / 2),
                       .third_quartile = middle(last - last / 4, last - n / 4),
                       .max = values.back()};
  const auto count = static_cast<double>(n);
  s.mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  if (n == 1) return s;
  double squares = 0;
  for (const double x : values) squares += (x - s.mean) * (x - s.mean);
  s.deviation = std::sqrt(squares / (count - 1));
  return s;
}

Graph500Statistics graph500_rates(const std::vector<double>& amounts,
                                  const std::vector<double>& seconds) {
  std::vector<double> inverse;
  for (std::size_t i = 0; i < amounts.size(); ++i) inverse.push_back(seconds[i] / amounts[i]);
  const auto s = Graph500Statistics::of(inverse);
  Graph500Statistics rates{.min = 1 / s.max,
                           .first_quartile = 1 / s.third_quartile,
                           .median = 1 / s.median,
                           .third_quartile = 1 / s.first_quartile,
                           .max = 1 / s.min,
                           .mean = 1 / s.mean};
  if (inverse.size() > 1) {
    const auto less_one = static_cast<double>(inverse.size() - 1);
    rates.deviation = s.deviation / (s.mean * s.mean * std::sqrt(less_one));
  }
  return rates;
}

}  // namespace grappa::bench
