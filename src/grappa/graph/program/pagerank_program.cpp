// PageRank with delta caching, and the ranks of vertices without out-edges dropped at first: those
// only lack a common factor in the end (A. Langville, C. Meyer, "Deeper inside PageRank", Internet
// Mathematics 1(3), 2004, section 8.4).
//
// When to end. Let x be the ranks, s their sum and p what is pending, by vertex: x + p = base +
// damping P x. Then one more iteration on x/s, with what is dropped spread evenly, changes it by
// (p - sum(p)/n) / s, hence by at most 2 |p| / s in all. A vertex keeps back a share of its own
// rank (hubs, whose many edges cost most, are ready as soon as the others), and of what a round
// moves the damping is pending afterwards: |p| is at most share s + damping moved. The synchronous
// engine ends when that is little enough, the asynchronous one when all vertices keep back what
// they have.
//
// The ranks to begin with have the right sum where no edge leads to a vertex without out-edges: an
// error of the sum is what shrinks most slowly.
#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <utility>

#include "grappa/base/error.hpp"
#include "grappa/graph/locales.hpp"
#include "grappa/graph/program/run_program.hpp"
#include "grappa/parallel/collectives.hpp"

namespace grappa::graph {
namespace {

/// What a core has moved in a round.
struct alignas(64) Moved {
  double sum = 0;
};

struct Rank {
  using Gather = double;
  static Gather identity() { return 0; }
  static Gather combine(Gather a, Gather b) { return a + b; }

  VertexView<double> rank;
  VertexView<double> factor;  // damping by out-edges, 0 without
  VertexView<double> told;    // what each out-edge is to hear; first, what a vertex has heard
  double base;
  double share;          // of its rank that may be pending
  Replica<Moved> moved;  // a locale's copy: [its cores]; not created where rounds are not counted
  Moved* mine = nullptr;

  void bind() {
    if (moved.size() > 0) mine = moved.data() + core_in_locale();
    rank.bind();
    factor.bind();
    told.bind();
  }
  Gather initial(VertexId v) const { return told[v]; }
  bool apply(VertexId v, Gather total) const {
    const double pending = base + total - rank[v];
    if (std::abs(pending) <= share * rank[v]) return false;
    rank[v] = base + total;
    if (mine != nullptr) mine->sum += std::abs(pending);
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

// The change that is promised is a little below the tolerance; in rounds a quarter of it is for
// what vertices keep back, and three for what was moved last.
constexpr double kMargin = 0.999;
constexpr double kKeptInRounds = 0.25;

double sum_of(const GlobalArray<double>& values) {
  return reduce_cores(
      [values] {
        double mine = 0;
        for (const double value : values.local()) mine += value;
        return mine;
      },
      0.0, std::plus<>());
}

/// What all cores have moved, which is then forgotten.
double take_moved(Replica<Moved> moved) {
  return reduce_cores([moved] { return std::exchange(moved.data()[core_in_locale()].sum, 0.0); },
                      0.0, std::plus<>());
}

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
  const double kept = engine == Engine::kSynchronous ? kKeptInRounds : kMargin;
  Rank program{.rank = rank,
               .factor = VertexView(factor),
               .told = VertexView(told),
               .base = base,
               .share = kept * options.tolerance * options.damping / 2,
               .moved = {}};
  result.change = kept * options.tolerance;
  if (engine == Engine::kSynchronous) {
    program.moved = Replica<Moved>::create(cores_per_locale());
    const ProgramResult ran = run_synchronous(
        graph, program,
        {.max_rounds = options.max_iterations, .on_round = [&](std::int64_t, std::int64_t) {
           result.change =
               kept * options.tolerance + 2 * take_moved(program.moved) / sum_of(result.rank);
           return result.change > kMargin * options.tolerance;
         }});
    result.iterations = ran.rounds;
    if (ran.finished) result.change = kept * options.tolerance;
    result.converged = ran.finished || (ran.rounds > 0 && result.change < options.tolerance);
    program.moved.destroy();
  } else {
    const ProgramResult ran = run_asynchronous(graph, program);
    result.iterations = 1 + ran.applied / std::max<std::int64_t>(1, graph.vertex_count());
    result.converged = true;
  }
  factor.destroy();
  told.destroy();
  // Without any iteration ranks are what they begin with by definition.
  const double sum = sum_of(result.rank);
  on_all_cores([values = result.rank, sum, n, begun = result.iterations > 0] {
    for (double& r : values.local()) r = begun ? r / sum : 1 / n;
  });
  return result;
}

}  // namespace grappa::graph
