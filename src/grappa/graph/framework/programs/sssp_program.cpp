#include <cmath>
#include <limits>

#include "grappa/graph/algorithms/sssp/internal/sssp_overflow.hpp"
#include "grappa/graph/framework/run_program.hpp"
#include "grappa/parallel/collectives.hpp"

namespace grappa::graph {
namespace {

constexpr double kUnreachedDistance = std::numeric_limits<double>::infinity();

struct ShortestPaths {
  using Gather = double;
  static constexpr bool kWeighted = true;
  static Gather identity() { return kUnreachedDistance; }
  static Gather combine(Gather a, Gather b) { return std::min(a, b); }

  VertexView<double> distance;  // infinite at first
  VertexId source;
  double buckets_a_unit;
  void bind() { distance.bind(); }

  Gather initial(VertexId v) const { return v == source ? 0 : kUnreachedDistance; }
  bool apply(VertexId v, Gather total) const {
    if (total >= distance[v]) return false;
    distance[v] = total;
    return true;
  }
  Gather scatter(VertexId v) const { return distance[v]; }
  Gather along(Gather value, auto weight) const { return value + weight; }
  std::int64_t priority(VertexId, Gather total) const {
    constexpr double kLast = 1e18;
    return static_cast<std::int64_t>(std::min(total * buckets_a_unit, kLast));
  }
};

}  // namespace

SsspResult sssp_program(const Graph& graph, VertexId source, Engine engine,
                        const SsspOptions& options) {
  SsspResult result;
  result.delta = checked_delta(graph, source, options);
  Owned<GlobalArray<double>> distance = graph.make_vertex_array_for_overwrite<double>();
  on_all_cores([d = *distance] { std::ranges::fill(d.local(), kUnreachedDistance); });
  const ProgramResult ran =
      run_program(graph, ShortestPaths{VertexView(*distance), source, 1 / result.delta}, engine,
                  {.source = source});
  result.rounds = ran.rounds;
  struct Reached {
    std::int64_t vertices = 0;
    double farthest = 0;
  };
  const Reached reached = reduce_cores(
      [d = *distance] {
        Reached mine;
        for (const double length : d.local()) {
          if (!std::isfinite(length)) continue;
          ++mine.vertices;
          mine.farthest = std::max(mine.farthest, length);
        }
        return mine;
      },
      Reached(),
      [](Reached a, const Reached& b) {
        return Reached{a.vertices + b.vertices, std::max(a.farthest, b.farthest)};
      });
  result.reached = reached.vertices;
  result.farthest = reached.farthest;
  check_path_lengths(graph, *distance, result.farthest);
  result.distance = std::move(distance);
  return result;
}

}  // namespace grappa::graph
