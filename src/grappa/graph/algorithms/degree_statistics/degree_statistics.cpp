// Every core counts the degrees of vertices of its locale: small ones in a table, the few large
// ones in a list. The counts of a locale's cores make one distribution, which goes to the locale of
// the caller; a distribution has at most as many entries as the square root of twice the edges.
#include "grappa/graph/algorithms/degree_statistics/degree_statistics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "grappa/graph/exec/locales.hpp"
#include "grappa/graph/structure/collect.hpp"
#include "grappa/parallel/exchange.hpp"
#include "grappa/parallel/forall.hpp"
#include "grappa/parallel/locale_state.hpp"
#include "grappa/parallel/owned.hpp"

namespace grappa::graph {
namespace {

constexpr std::size_t kTable = 1024;

class DegreeCounter {
 public:
  void add(std::int64_t degree) {
    if (static_cast<std::size_t>(degree) < kTable) {
      ++table_[static_cast<std::size_t>(degree)];
    } else {
      large_.push_back(degree);
    }
  }
  void append_to(std::vector<DegreeCount>& counts) const {
    for (std::size_t d = 0; d < kTable; ++d) {
      if (table_[d] != 0) counts.push_back({static_cast<std::int64_t>(d), table_[d]});
    }
    for (const std::int64_t degree : large_) counts.push_back({degree, 1});
  }

 private:
  std::array<std::int64_t, kTable> table_{};
  std::vector<std::int64_t> large_;
};

/// Sorts counts by degree and adds up those of the same.
std::vector<DegreeCount> merged(std::vector<DegreeCount> counts) {
  std::ranges::sort(counts, {}, &DegreeCount::degree);
  std::vector<DegreeCount> distribution;
  for (const DegreeCount& count : counts) {
    if (distribution.empty() || distribution.back().degree != count.degree) {
      distribution.push_back(count);
    } else {
      distribution.back().vertices += count.vertices;
    }
  }
  return distribution;
}

/// A core's own.
struct alignas(64) CoreCounts {
  DegreeCounter out;
  DegreeCounter in;
  std::int64_t isolated = 0;
};

/// The state of a locale, which its cores share.
struct Local {
  std::vector<CoreCounts> cores =
      std::vector<CoreCounts>(static_cast<std::size_t>(cores_per_locale()));
  std::vector<DegreeCount> distribution_of(DegreeCounter CoreCounts::* which) const {
    std::vector<DegreeCount> counts;
    for (const CoreCounts& core : cores) (core.*which).append_to(counts);
    return merged(std::move(counts));
  }
};
using Locals = LocaleState<Local>;

struct CountRange {
  Graph graph;
  Locals locals;
  void operator()(std::int64_t first, std::int64_t last) const {
    CoreCounts& mine = locals->cores[core_in_locale()];
    const Adjacency out = graph.out();
    const Adjacency in = graph.in();
    for (std::int64_t v = first; v < last; ++v) {
      mine.out.add(out.degree(v));
      if (graph.is_directed()) mine.in.add(in.degree(v));
      mine.isolated += int{out.degree(v) == 0 && in.degree(v) == 0};
    }
  }
};

/// The distribution over all locales, on that of the caller.
std::vector<DegreeCount> gather_distribution(Locals locals, DegreeCounter CoreCounts::* which) {
  if (locale_count() == 1) return locals->distribution_of(which);
  const Owned exchange = Exchange::create();
  // A pointer to a member is a number, but does not look like one.
  const bool is_in = which == &CoreCounts::in;
  on_all_locales([locals, exchange = *exchange, is_in, to = this_locale()] {
    exchange.send(to, locals->distribution_of(is_in ? &CoreCounts::in : &CoreCounts::out));
  });
  std::vector<DegreeCount> counts;
  for (int locale = 0; locale < locale_count(); ++locale) {
    const auto part = exchange->take<DegreeCount>(locale);
    counts.insert(counts.end(), part.begin(), part.end());
  }
  return merged(std::move(counts));
}

/// The degree of the vertex with this place among all, from 0 in ascending order.
std::int64_t degree_at(const std::vector<DegreeCount>& distribution, std::int64_t place) {
  for (const DegreeCount& count : distribution) {
    if (place < count.vertices) return count.degree;
    place -= count.vertices;
  }
  return 0;
}

}  // namespace

DegreeStatistics statistics_of(std::vector<DegreeCount> distribution) {
  DegreeStatistics s;
  s.distribution = std::move(distribution);
  if (s.distribution.empty()) return s;
  std::int64_t n = 0;
  std::int64_t ends = 0;
  for (const auto& [degree, vertices] : s.distribution) {
    n += vertices;
    ends += degree * vertices;
  }
  const auto all = static_cast<double>(n);
  s.least = s.distribution.front().degree;
  s.greatest = s.distribution.back().degree;
  s.mean = static_cast<double>(ends) / all;
  s.median = static_cast<double>(degree_at(s.distribution, (n - 1) / 2) +
                                 degree_at(s.distribution, n / 2)) /
             2;
  s.percentile_90 = degree_at(s.distribution, (n * 90 + 99) / 100 - 1);
  s.percentile_99 = degree_at(s.distribution, (n * 99 + 99) / 100 - 1);
  double squares = 0;
  double inequality = 0;  // the sum of (2 i - n - 1) degree_i, i from 1
  std::int64_t before = 0;
  for (const auto& [degree, vertices] : s.distribution) {
    const auto d = static_cast<double>(degree);
    squares += (d - s.mean) * (d - s.mean) * static_cast<double>(vertices);
    inequality +=
        d * static_cast<double>(vertices) * static_cast<double>(2 * before + vertices - n);
    before += vertices;
  }
  s.standard_deviation = std::sqrt(squares / all);
  if (ends == 0) return s;
  s.gini = inequality / (all * static_cast<double>(ends));
  std::int64_t top = (n + 99) / 100;
  std::int64_t top_ends = 0;
  for (auto count = s.distribution.rbegin(); top > 0; ++count) {
    const std::int64_t vertices = std::min(top, count->vertices);
    top_ends += vertices * count->degree;
    top -= vertices;
  }
  s.top_fraction = static_cast<double>(top_ends) / static_cast<double>(ends);
  return s;
}

DegreesResult degree_statistics(const Graph& graph) {
  graph.require_live("degree statistics");
  graph.require_in_edges("degree statistics");
  const Owned locals = Locals::create();
  forall_vertices(graph, CountRange{graph, *locals});
  DegreesResult result;
  result.out = statistics_of(gather_distribution(*locals, &CoreCounts::out));
  if (graph.is_directed()) result.in = statistics_of(gather_distribution(*locals, &CoreCounts::in));
  result.isolated = reduce_locales([locals = *locals] {
    std::int64_t isolated = 0;
    for (const CoreCounts& core : locals->cores) isolated += core.isolated;
    return isolated;
  });
  return result;
}

std::vector<std::int64_t> vertex_degrees(const Graph& graph, DegreeOf which) {
  graph.require_live("vertex_degrees");
  if (which == DegreeOf::kIn) graph.require_in_edges("degrees");
  const Owned degree = graph.make_vertex_array_for_overwrite<std::int64_t>();
  forall_vertices(graph, [graph, degree = *degree, which](std::int64_t first, std::int64_t last) {
    const Adjacency rows = which == DegreeOf::kIn ? graph.in() : graph.out();
    std::int64_t* const degrees = degree.locale_part().data() - graph.locale_begin();
    for (std::int64_t v = first; v < last; ++v) degrees[v] = rows.degree(v);
  });
  return collect(*degree, graph);
}

}  // namespace grappa::graph
