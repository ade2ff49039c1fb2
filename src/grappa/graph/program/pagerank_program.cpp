// PageRank with delta caching, and the ranks of vertices without out-edges dropped at first: those
// only lack a common factor in the end (A. Langville, C. Meyer, "Deeper inside PageRank", Internet
// Mathematics 1(3), 2004, section 8.4).
//
// The threshold. Let x be the ranks that the program ends with, s their sum and p what is pending,
// by vertex: x + p = base + damping P x. Then one more iteration on x/s, with what is dropped
// spread evenly, changes it by (p - sum(p)/n) / s, hence by at most 2 |p| / s in all. So what a
// vertex may leave pending is a share of its own rank: hubs, whose many edges cost most, are ready
// as soon as the others. Of the |p| before a round, what is above the thresholds shrinks by the
// damping: after k rounds |p| is at most (1 - damping) damping^k and a sum of what was below. And s
// is at least 1 - damping.
#include <fmt/format.h>

#include <cmath>
#include <functional>

#include "grappa/base/error.hpp"
#include "grappa/graph/program/run_program.hpp"
#include "grappa/parallel/collectives.hpp"

namespace grappa::graph {
namespace {

struct Rank {
  using Gather = double;
  static Gather identity() { return 0; }
  static Gather combine(Gather a, Gather b) { return a + b; }

  VertexView<double> rank;
  VertexView<double> factor;  // damping by out-edges, 0 without
  VertexView<double> told;    // what each out-edge is to hear; first, what a vertex has heard
  double base;
  double share;  // of its rank that may be pending

  void bind() {
    rank.bind();
    factor.bind();
    told.bind();
  }
  Gather initial(VertexId v) const { return told[v]; }
  bool apply(VertexId v, Gather total) const {
    const double pending = base + total - rank[v];
    if (std::abs(pending) <= share * rank[v]) return false;
    rank[v] = base + total;
    told[v] = pending * factor[v];
    return told[v] != 0;
  }
  Gather scatter(VertexId v) const { return told[v]; }
  // The most for an edge first, by powers of two: hubs, of which much is pending all the time, wait
  // until that is worth their many edges. What has no out-edges is last.
  std::int64_t priority(VertexId v, Gather total) const {
    constexpr std::int64_t kLast = 1 << 12;
    const double pending = std::abs(base + total - rank[v]);
    if (pending <= share * rank[v]) return kNotNow;
    return factor[v] == 0 ? kLast : -std::ilogb(pending * factor[v]);
  }
};

// The change that is promised is a little below the tolerance.
constexpr double kMargin = 0.999;

/// What the ranks at first contribute to those of the out-neighbours.
struct FirstGather {
  using Value = double;
  VertexView<double> rank;
  VertexView<double> factor;
  VertexView<double> heard;

  void bind() {
    rank.bind();
    factor.bind();
    heard.bind();
  }
  Value value(VertexId u) const { return rank[u] * factor[u]; }
  bool update_atomic(VertexId v, const auto& arc) const {
    return combine_shared(heard[v], arc.value, std::plus<>());
  }
  bool pull(VertexId v, const auto& arcs) const {
    double all = 0;
    arcs.for_each([&](const auto& arc) {
      all += arc.value;
      return true;
    });
    heard[v] = all;
    return all != 0;
  }
};

}  // namespace

PageRankResult pagerank_program(const Graph& graph, const PageRankOptions& options, Engine engine) {
  if (!(options.damping >= 0 && options.damping < 1))
    throw UsageError(fmt::format(
        "pagerank_program: a damping of {}, expected a number from 0 to below 1", options.damping));
  if (!(options.tolerance > 0))
    throw UsageError(fmt::format("pagerank_program: a tolerance of {}, expected a positive number",
                                 options.tolerance));
  if (options.max_iterations < 0)
    throw UsageError(fmt::format("pagerank_program: {} iterations", options.max_iterations));
  PageRankResult result;
  result.rank = graph.make_vertex_array<double>();
  auto factor = graph.make_vertex_array<double>();
  auto told = graph.make_vertex_array<double>();
  const auto n = static_cast<double>(graph.vertex_count());
  const double base = (1 - options.damping) / n;
  on_all_cores([graph, rank = result.rank, factor, base, n, damping = options.damping] {
    const Adjacency out = graph.out();
    const std::int64_t first = factor.global_index(0);
    const std::int64_t end = std::min(graph.locale_end(), first + factor.local_size());
    for (std::int64_t v = first; v < end; ++v) {
      const auto degree = static_cast<double>(out.degree(v));
      const auto i = static_cast<std::size_t>(v - first);
      factor.local()[i] = degree == 0 ? 0 : damping / degree;
      rank.local()[i] = degree == 0 ? base : 1 / n;
    }
  });
  const VertexView rank(result.rank);
  {
    Frontiers frontiers(graph);
    Frontier all = frontiers.all();
    edge_map(all, FirstGather{rank, VertexView(factor), VertexView(told)});
  }
  const ProgramResult ran =
      run_program(graph,
                  Rank{rank, VertexView(factor), VertexView(told), (1 - options.damping) / n,
                       kMargin * options.tolerance * options.damping / 2},
                  engine, {.max_rounds = options.max_iterations, .on_round = {}});
  factor.destroy();
  told.destroy();
  result.iterations = engine == Engine::kSynchronous
                          ? ran.rounds
                          : 1 + ran.applied / std::max<std::int64_t>(1, graph.vertex_count());
  const double sum = reduce_cores(
      [values = result.rank] {
        double mine = 0;
        for (const double r : values.local()) mine += r;
        return mine;
      },
      0.0, std::plus<>());
  // Without any iteration ranks are what they begin with by definition.
  on_all_cores([values = result.rank, sum, n, begun = result.iterations > 0] {
    for (double& r : values.local()) r = begun ? r / sum : 1 / n;
  });
  result.converged = ran.finished;
  result.change = kMargin * options.tolerance;
  if (!ran.finished) {
    const double shrunk = std::pow(options.damping, static_cast<double>(ran.rounds));
    result.change = result.change * (1 - shrunk) / ((1 - options.damping) * (1 - options.damping)) +
                    4 * shrunk / (options.damping * (1 - options.damping));
  }
  return result;
}

}  // namespace grappa::graph
