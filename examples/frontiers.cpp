// How far a rumour gets: a search by edge_map, over sets of people.

#include <grappa/grappa.hpp>

#include <cstdint>
#include <cstdio>

#include "grappa/graph/build/build.hpp"
#include "grappa/graph/framework/vertex_map.hpp"
#include "grappa/graph/load/load.hpp"

using namespace grappa;
using namespace grappa::graph;

/// Whoever hears of it for the first time remembers from whom.
struct Tell {
  VertexView<VertexId> from;

  void bind() { from.bind(); }
  bool cond(VertexId v) const { return load_shared(from[v]) == kNoVertex; }
  bool update_atomic(VertexId v, const auto& arc) const {
    return claim_shared(from[v], kNoVertex, arc.source);
  }
};

int main() {
  bool right = true;
  run([&] {
    EdgeList list = load_edge_list({.path = "kron:12"});
    Graph people = build_graph(list);
    auto from = people.make_vertex_array<VertexId>();
    {
      Frontiers sets(people);
      Frontier everybody = sets.all();
      vertex_map(everybody, [from = VertexView(from)](VertexId v) { from[v] = kNoVertex; });
      Frontier popular =
          vertex_filter(everybody, [people](VertexId v) { return people.out().degree(v) >= 400; });
      std::printf("%ld people know 400 others\n", static_cast<long>(popular.size()));

      const VertexId first = popular.vertices().front();
      delegate::write(from[first], first);
      Frontier news = sets.of(first);
      std::int64_t heard = 0;
      for (int day = 0; !news.empty(); ++day) {
        std::printf("day %d: %ld people hear of it\n", day, static_cast<long>(news.size()));
        heard += news.size();
        news = edge_map(news, Tell{VertexView(from)});
      }
      Frontier knowing = vertex_filter(
          everybody, [from = VertexView(from)](VertexId v) { return from[v] != kNoVertex; });
      right = heard == knowing.size();
    }
    from.destroy();
    people.destroy();
  });
  return right ? 0 : 1;
}
