// A net whose border is nailed down, and whose inner knots hang between their neighbors: a vertex
// program that pulls (W. Tutte, "How to draw a graph", 1963).

#include <grappa/grappa.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>

#include "grappa/graph/build/build.hpp"
#include "grappa/graph/framework/pull_engine.hpp"
#include "grappa/graph/generate/generator.hpp"
#include "grappa/graph/structure/collect.hpp"
#include "grappa/io/runtime_parallel_for.hpp"

using namespace grappa;
using namespace grappa::graph;

constexpr std::int64_t kSide = 20;

struct Point {
  double x, y;
};

Point nail(std::int64_t v) {
  return {static_cast<double>(v % kSide), static_cast<double>(v / kSide)};
}

bool is_nailed(std::int64_t v) {
  const auto is_end = [](std::int64_t i) { return i == 0 || i == kSide - 1; };
  return is_end(v % kSide) || is_end(v / kSide);
}

/// Each vertex moves between its neighbors.
struct HangingNet {
  struct Gather {
    double x, y, neighbors;
  };
  using Value = Point;  // what neighbors see of a vertex
  static Gather identity() { return {}; }

  VertexView<Point> at;

  void bind() { at.bind(); }
  bool starts(VertexId v) const { return !is_nailed(v); }
  Value value(VertexId u) const { return at[u]; }
  void gather(Gather& total, const auto& arc) const {
    total.x += arc.value.x;
    total.y += arc.value.y;
    total.neighbors += 1;
  }
  bool apply(VertexId v, const Gather& total) const {
    if (is_nailed(v)) return false;
    const Point now{total.x / total.neighbors, total.y / total.neighbors};
    const double moved = std::hypot(now.x - at[v].x, now.y - at[v].y);
    at[v] = now;
    return moved > 1e-9;
  }
};

int main() {
  double error = 0;
  run([&] {
    const Owned<Graph> net =
        build_graph(generate(parse_generator("grid:20x20"), {}, runtime_parallel_for()));
    const Owned<GlobalArray<Point>> at = net->make_vertex_array<Point>();
    at->forall([](std::int64_t v, Point& p) { p = is_nailed(v) ? nail(v) : Point{0, 0}; });

    run_pulling(*net, HangingNet{VertexView(*at)});

    const auto points = collect(*at, *net);
    for (std::int64_t v = 0; v < net->vertex_count(); ++v) {
      const Point& found = points[static_cast<std::size_t>(v)];
      error = std::max(error, std::hypot(found.x - nail(v).x, found.y - nail(v).y));
    }
    std::printf("no knot is more than %.3f from its place in the grid\n", error);
  });
  return error < 1e-3 ? 0 : 1;
}
