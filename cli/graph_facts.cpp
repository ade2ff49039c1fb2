#include "cli/graph_facts.hpp"

#include <algorithm>
#include <numeric>

#include "grappa/graph/collect.hpp"
#include "grappa/grappa.hpp"

namespace grappa::cli {
namespace {

struct Counts {
  std::int64_t self_loops = 0;
  std::int64_t duplicates = 0;
  std::int64_t isolated = 0;

  friend Counts operator+(const Counts& a, const Counts& b) {
    return {a.self_loops + b.self_loops, a.duplicates + b.duplicates, a.isolated + b.isolated};
  }
};

// Of the vertices of this core.
Counts count_here(const graph::Graph& graph) {
  const graph::Adjacency out = graph.out();
  const graph::Adjacency in = graph.in();
  const std::int64_t first = this_core() * graph.vertices_per_core();
  const std::int64_t last = std::min(graph.vertex_count(), first + graph.vertices_per_core());
  Counts counts;
  for (std::int64_t v = first; v < last; ++v) {
    if (out.degree(v) == 0 && in.degree(v) == 0) ++counts.isolated;
    std::int64_t previous = -1;
    for (const graph::VertexId w : out.neighbors(v)) {
      if (w == v) ++counts.self_loops;
      // An undirected edge is looked at from its smaller end only.
      if (w == previous && (graph.is_directed() || w >= v)) ++counts.duplicates;
      previous = w;
    }
  }
  return counts;
}

enum class Direction : std::uint8_t { kOut, kIn };

std::vector<std::int64_t> degrees(const graph::Graph& graph, Direction direction) {
  auto degree = graph.make_vertex_array<std::int64_t>();
  degree.forall([graph, direction](std::int64_t v, std::int64_t& value) {
    if (v >= graph.vertex_count()) return;
    value = (direction == Direction::kOut ? graph.out() : graph.in()).degree(v);
  });
  std::vector<std::int64_t> all = graph::collect(degree, graph.vertex_count());
  degree.destroy();
  return all;
}

}  // namespace

GraphFacts examine(const graph::Graph& graph) {
  const Counts counts = reduce_cores([graph] { return count_here(graph); }, Counts{},
                                     [](const Counts& a, const Counts& b) { return a + b; });
  GraphFacts facts{counts.self_loops, counts.duplicates, counts.isolated, {}, {}};
  facts.out_degree = degrees(graph, Direction::kOut);
  if (graph.is_directed()) facts.in_degree = degrees(graph, Direction::kIn);
  return facts;
}

DegreeStatistics statistics_of(std::vector<std::int64_t> degrees) {
  if (degrees.empty()) return {};
  const auto middle = degrees.begin() + static_cast<std::ptrdiff_t>(degrees.size() / 2);
  std::nth_element(degrees.begin(), middle, degrees.end());
  const auto upper = static_cast<double>(*middle);
  const double median =
      degrees.size() % 2 == 1
          ? upper
          : (upper + static_cast<double>(*std::max_element(degrees.begin(), middle))) / 2;
  const auto [least, most] = std::minmax_element(degrees.begin(), degrees.end());
  const auto sum = std::accumulate(degrees.begin(), degrees.end(), std::int64_t{0});
  return {*least, static_cast<double>(sum) / static_cast<double>(degrees.size()), median, *most};
}

}  // namespace grappa::cli
