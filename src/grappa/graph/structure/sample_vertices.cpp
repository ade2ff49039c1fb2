#include "grappa/graph/structure/sample_vertices.hpp"

#include <algorithm>
#include <utility>

#include "grappa/graph/generate/internal/counter_random.hpp"
#include "grappa/graph/structure/collect.hpp"

namespace grappa::graph {
namespace {

using generate_detail::CounterRandom;
using generate_detail::kSourceStream;
// Instead of the random number of a vertex without out-edges; greater than all of them.
constexpr std::uint64_t kNoSource = ~std::uint64_t{0};

}  // namespace

std::vector<VertexId> sample_sources(const Graph& graph, std::int64_t count, std::uint64_t seed) {
  Owned<GlobalArray<std::uint64_t>> numbers =
      graph.make_vertex_array_for_overwrite<std::uint64_t>();
  on_all_cores([graph, numbers = *numbers, random = CounterRandom(seed, kSourceStream)] {
    const Adjacency out = graph.out();
    std::int64_t v = this_core() * graph.vertices_per_core();
    for (std::uint64_t& number : numbers.local()) {
      const bool has_out_edges = v < graph.vertex_count() && out.degree(v) > 0;
      number = has_out_edges ? random(graph.given(static_cast<VertexId>(v))) / 2 : kNoSource;
      ++v;
    }
  });
  const std::vector<std::uint64_t> number = collect(*numbers, graph);
  numbers.reset();
  std::vector<VertexId> vertices;
  for (std::size_t v = 0; v < number.size(); ++v) {
    if (number[v] != kNoSource) vertices.push_back(static_cast<VertexId>(v));
  }
  if (count < std::ssize(vertices)) {
    std::ranges::nth_element(vertices, vertices.begin() + count, [&number](VertexId a, VertexId b) {
      return std::pair(number[a], a) < std::pair(number[b], b);
    });
    vertices.resize(static_cast<std::size_t>(count));
  }
  std::ranges::sort(vertices);
  for (VertexId& v : vertices) v = graph.vertex(v);
  return vertices;
}

}  // namespace grappa::graph
