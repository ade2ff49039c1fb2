// The widest way to every place: a vertex program, under both engines.

#include <grappa/grappa.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>

#include "grappa/graph/build/build.hpp"
#include "grappa/graph/framework/async_engine.hpp"
#include "grappa/graph/framework/sync_engine.hpp"
#include "grappa/graph/load/load.hpp"
#include "grappa/graph/structure/collect.hpp"

using namespace grappa;
using namespace grappa::graph;

/// A way is as wide as its narrowest street; each place wants the widest way from the source.
struct WidestWays {
  using Gather = std::uint32_t;
  static constexpr bool kWeighted = true;
  static Gather identity() { return 0; }
  static Gather combine(Gather a, Gather b) { return std::max(a, b); }

  VertexView<std::uint32_t> width;  // 0 at first
  VertexId source;

  void bind() { width.bind(); }
  Gather initial(VertexId v) const { return v == source ? 1000 : 0; }
  bool apply(VertexId v, Gather total) const {
    if (total <= width[v]) return false;
    width[v] = total;
    return true;
  }
  Gather scatter(VertexId v) const { return width[v]; }
  Gather along(Gather value, auto weight) const { return std::min<Gather>(value, weight); }
  // For the asynchronous engine: the widest first, as in Dijkstra's algorithm.
  std::int64_t priority(VertexId, Gather total) const { return -static_cast<std::int64_t>(total); }
};

int main() {
  bool right = true;
  run([&] {
    EdgeList list = load_edge_list({.path = "grid:60x80", .want_weights = true});
    Graph town = build_graph(list);
    auto in_rounds = town.make_vertex_array<std::uint32_t>();
    auto by_width = town.make_vertex_array<std::uint32_t>();

    run_synchronous(town, WidestWays{VertexView(in_rounds), 0}, {.source = 0});
    run_asynchronous(town, WidestWays{VertexView(by_width), 0}, {.source = 0});

    const auto width = collect(in_rounds, town);
    std::printf("the farthest corner is reached by a way %u wide\n", width.back());
    right = width == collect(by_width, town);
    in_rounds.destroy();
    by_width.destroy();
    town.destroy();
  });
  return right ? 0 : 1;
}
