#include "bench/graph500_input.hpp"

#include "grappa/graph/exec/locales.hpp"

namespace grappa::bench {

using graph::Edge;
using graph::EdgeList;
using graph::EdgeParts;

Graph500Input::Graph500Input(int scale, std::int64_t edge_factor, std::uint64_t seed)
    : spec_{.kind = graph::GeneratorSpec::Kind::kKronecker,
            .scale = scale,
            .edges_per_vertex = edge_factor},
      seed_(seed),
      weight_bits_(seed, graph::generate_detail::kWeightStream) {}

void Graph500Input::fill(std::int64_t first, std::span<Edge> edges,
                         std::span<double> weights) const {
  graph::generate_edges(spec_, seed_, first, edges);
  auto number = static_cast<std::uint64_t>(first);
  for (double& weight : weights) weight = static_cast<double>(weight_bits_(number++) >> 40);
}

EdgeParts Graph500Input::make_list(bool weighted) const {
  EdgeParts list = EdgeParts::create();
  list.edge_count = edge_count();
  list.directed = false;
  graph::on_each_locale([input = *this, weighted, part = *list.part] {
    EdgeList& mine = *part;
    const std::int64_t count = input.edge_count();
    const std::int64_t begin = count * this_locale() / locale_count();
    const std::int64_t end = count * (this_locale() + 1) / locale_count();
    mine.edges.resize(static_cast<std::size_t>(end - begin));
    if (weighted) mine.weights.resize(mine.edges.size());
    forall_range_here(begin, end, {.grain = kPiece},
                      [input, part, begin](std::int64_t first, std::int64_t last) {
                        EdgeList& to = *part;
                        const auto at = static_cast<std::size_t>(first - begin);
                        const auto length = static_cast<std::size_t>(last - first);
                        std::span<double> weights(to.weights);
                        if (!weights.empty()) weights = weights.subspan(at, length);
                        input.fill(first, std::span(to.edges).subspan(at, length), weights);
                      });
  });
  return list;
}

}  // namespace grappa::bench
