// Asserts of degree statistics that each number is the one that follows, by its definition, from
// the sorted degrees of all vertices, which are counted edge by edge.
#include "grappa/graph/algorithms/degree_statistics/degree_statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>
#include <vector>

#include "grappa/graph/structure/internal/serial_graph.hpp"

namespace grappa::graph {
namespace {

using Degrees = std::vector<std::int64_t>;  // by vertex, or sorted

bool close(double a, double b) {
  return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b)) + 1e-12;
}

/// The sum of (2 i - n - 1) degree_i, i from 1, by that of all degrees, times n.
double gini_of(const Degrees& sorted) {
  const auto n = static_cast<double>(sorted.size());
  double sum = 0;
  double weighted = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const auto degree = static_cast<double>(sorted[i]);
    sum += degree;
    weighted += (2 * static_cast<double>(i + 1) - n - 1) * degree;
  }
  return sum == 0 ? 0 : weighted / (n * sum);
}

double fraction_of_top(const Degrees& sorted) {
  const auto all = std::accumulate(sorted.begin(), sorted.end(), std::int64_t{0});
  const auto top = static_cast<std::ptrdiff_t>((sorted.size() + 99) / 100);
  const auto of_top = std::accumulate(sorted.end() - top, sorted.end(), std::int64_t{0});
  return all == 0 ? 0 : static_cast<double>(of_top) / static_cast<double>(all);
}

double deviation_of(const Degrees& sorted, double mean) {
  double squares = 0;
  for (const std::int64_t degree : sorted) {
    const double off = static_cast<double>(degree) - mean;
    squares += off * off;
  }
  return std::sqrt(squares / static_cast<double>(sorted.size()));
}

/// How many of the degrees are `most` at most, in percent.
double percent_up_to(const Degrees& sorted, std::int64_t most) {
  const auto up_to = std::ranges::upper_bound(sorted, most) - sorted.begin();
  return 100.0 * static_cast<double>(up_to) / static_cast<double>(sorted.size());
}

bool is_percentile(const Degrees& sorted, double percent, std::int64_t degree) {
  return std::ranges::binary_search(sorted, degree) && percent_up_to(sorted, degree) >= percent &&
         percent_up_to(sorted, degree - 1) < percent;
}

/// What is wrong; empty if nothing is.
std::string difference(Degrees sorted, const DegreeStatistics& s) {
  std::ranges::sort(sorted);
  std::vector<DegreeCount> distribution;
  for (auto first = sorted.begin(); first != sorted.end();) {
    const auto last = std::upper_bound(first, sorted.end(), *first);
    distribution.push_back({*first, last - first});
    first = last;
  }
  if (distribution != s.distribution) return "the distribution of degrees is another one";
  if (sorted.empty()) return {};
  const std::size_t n = sorted.size();
  const double mean =
      static_cast<double>(std::accumulate(sorted.begin(), sorted.end(), std::int64_t{0})) /
      static_cast<double>(n);
  const double median = 0.5 * static_cast<double>(sorted[(n - 1) / 2] + sorted[n / 2]);
  if (s.least != sorted.front()) return fmt::format("the least degree is not {}", s.least);
  if (s.greatest != sorted.back()) return fmt::format("the greatest degree is not {}", s.greatest);
  if (!is_percentile(sorted, 90, s.percentile_90))
    return fmt::format("the 90th percentile is not {}", s.percentile_90);
  if (!is_percentile(sorted, 99, s.percentile_99))
    return fmt::format("the 99th percentile is not {}", s.percentile_99);
  struct Number {
    std::string_view name;
    double claimed;
    double counted;
  };
  for (const Number& number :
       {Number{"mean", s.mean, mean}, Number{"median", s.median, median},
        Number{"standard deviation", s.standard_deviation, deviation_of(sorted, mean)},
        Number{"Gini coefficient", s.gini, gini_of(sorted)},
        Number{"fraction of the top 1 %", s.top_fraction, fraction_of_top(sorted)}}) {
    if (!close(number.claimed, number.counted))
      return fmt::format("the {} is {}, not {}", number.name, number.counted, number.claimed);
  }
  return {};
}

}  // namespace

Verification verify_degree_statistics(const SerialGraph& graph, const DegreesResult& result) {
  const auto n = static_cast<std::size_t>(graph.vertex_count());
  Degrees out(n);
  Degrees in(n);
  for (std::size_t v = 0; v < n; ++v) {
    for (const VertexId w : graph.neighbors(static_cast<std::int64_t>(v))) {
      ++out[v];
      ++in[w];
    }
  }
  std::int64_t isolated = 0;
  for (std::size_t v = 0; v < n; ++v) isolated += int{out[v] == 0 && in[v] == 0};
  if (isolated != result.isolated)
    return Verification::failed("degrees: {} vertices are isolated, not {}", isolated,
                                result.isolated);
  // Of an undirected graph, what leads to a vertex leads away from it, too.
  const bool directed = graph.is_directed();
  if (const std::string wrong = difference(directed ? out : in, result.out); !wrong.empty())
    return Verification::failed("degrees: {}{}", directed ? "out of vertices: " : "", wrong);
  if (directed) {
    if (const std::string wrong = difference(in, result.in); !wrong.empty())
      return Verification::failed("degrees: into vertices: {}", wrong);
  }
  return {.failure = {},
          .checked = fmt::format("{} arcs counted once more, and what follows from them",
                                 graph.arc_count())};
}

Verification verify(const Graph& graph, const DegreesResult& result) {
  return verify_degree_statistics(SerialGraph::of(graph), result);
}

}  // namespace grappa::graph
