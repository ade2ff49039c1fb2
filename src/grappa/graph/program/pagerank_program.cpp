// PageRank with delta caching, and the ranks of vertices without out-edges dropped at first: those
// only lack a common factor in the end (A. Langville, C. Meyer, "Deeper inside PageRank", Internet
// Mathematics 1(3), 2004, section 8.4).
//
// The threshold. Let x be the ranks that the program ends with, s their sum and p what is pending,
// by vertex: x + p = base + damping P x. Then one more iteration on x/s, with what is dropped
// spread evenly, changes it by (p - sum(p)/n) / s, hence by at most 2 |p| / s in all. In the end
// |p| is at most n thresholds. Of the |p| before a round, what is above the threshold shrinks by
// the damping: after k rounds |p| is at most (1 - damping) damping^k and a sum of what was below.
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

  VertexView<double> rank;    // 0 at first: not yet applied
  VertexView<double> factor;  // damping by out-edges, 0 without
  VertexView<double> told;    // what each out-edge is to hear
  double base;
  double threshold;

  void bind() {
    rank.bind();
    factor.bind();
    told.bind();
  }
  bool apply(VertexId v, Gather total) const {
    const double pending = base + total - rank[v];
    if (std::abs(pending) <= threshold && rank[v] != 0) return false;
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
    if (pending <= threshold && rank[v] != 0) return kNotNow;
    return factor[v] == 0 ? kLast : -std::ilogb(pending * factor[v]);
  }
};

// The change that is promised is a little below the tolerance.
constexpr double kMargin = 0.999;

/// What the ranks sum to, at least, for vertices without out-edges that pass nothing on.
double least_sum(const Graph& graph, std::int64_t without_out_edges, double damping) {
  const auto share =
      static_cast<double>(without_out_edges) / static_cast<double>(graph.vertex_count());
  // In an undirected graph these have no in-edges either, and the rank `base`.
  if (!graph.is_directed() || without_out_edges == 0) return 1 - damping * share;
  return 1 - damping;
}

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
  const std::int64_t without_out_edges = reduce_cores(
      [graph, factor, damping = options.damping] {
        std::int64_t without = 0;
        const Adjacency out = graph.out();
        const std::int64_t first = factor.global_index(0);
        for (std::int64_t v = first; v < std::min(graph.locale_end(), first + factor.local_size());
             ++v) {
          const auto degree = static_cast<double>(out.degree(v));
          without += degree == 0;
          factor.local()[static_cast<std::size_t>(v - first)] = degree == 0 ? 0 : damping / degree;
        }
        return without;
      },
      std::int64_t{0}, std::plus<>());
  const auto n = static_cast<double>(graph.vertex_count());
  const double s = least_sum(graph, without_out_edges, options.damping);
  const double threshold = kMargin * options.tolerance * options.damping * s / (2 * n);
  const ProgramResult ran =
      run_program(graph,
                  Rank{VertexView(result.rank), VertexView(factor), VertexView(told),
                       (1 - options.damping) / n, threshold},
                  engine, {.max_rounds = options.max_iterations, .on_round = {}});
  factor.destroy();
  told.destroy();
  const double sum = reduce_cores(
      [rank = result.rank, graph] {
        double mine = 0;
        for (const double r : rank.local()) mine += r;
        return mine;
      },
      0.0, std::plus<>());
  on_all_cores([rank = result.rank, sum, n] {
    for (double& r : rank.local()) r = sum > 0 ? r / sum : 1 / n;
  });
  result.iterations = engine == Engine::kSynchronous
                          ? ran.rounds
                          : (ran.applied + graph.vertex_count() - 1) /
                                std::max<std::int64_t>(1, graph.vertex_count());
  result.converged = ran.finished;
  result.change = kMargin * options.tolerance;
  if (!ran.finished) {
    const double shrunk = std::pow(options.damping, static_cast<double>(ran.rounds));
    result.change = result.change * (1 - shrunk) / (1 - options.damping) +
                    2 * (1 - options.damping) * shrunk / (s * options.damping);
  }
  return result;
}

}  // namespace grappa::graph
