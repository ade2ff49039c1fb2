// PageRank with delta caching, and the ranks of vertices without out-edges dropped at first: those
// only lack a common factor in the end (A. Langville, C. Meyer, "Deeper inside PageRank", Internet
// Mathematics 1(3), 2004, section 8.4).
//
// When to end. Let x be the ranks, s their sum and p what is pending, by vertex: x + p = base +
// damping P x. Then one more iteration on x/s, with what is dropped spread evenly, changes it by
// (p - sum(p)/n) / s, hence by at most (|p| + |sum(p)|) / s in all. A vertex keeps back a part of
// its own rank (hubs, whose many edges cost most, are ready as soon as the others), and of what a
// round moves where there are out-edges the damping is pending afterwards: |p| is at most kept s +
// damping moved. Of x + p, only vertices with out-edges pass on what they have, so sum(p) is 1 -
// damping + damping (s - s') - s, where s' is the sum of the ranks of the others; nothing, where no
// edge leads to them. The synchronous engine ends when that is little enough, before it scatters;
// the asynchronous one when all vertices keep back what they have.
//
// The ranks to begin with have the right sum where no edge leads to a vertex without out-edges: an
// error of the sum is what shrinks most slowly.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "grappa/base/error.hpp"
#include "grappa/graph/exec/locales.hpp"
#include "grappa/graph/framework/run_program.hpp"
#include "grappa/parallel/collectives.hpp"

namespace grappa::graph {
namespace {

/// What a core has moved: of vertices with out-edges, and of the others.
struct alignas(64) Moved {
  double distance = 0;  // in this round
  double sum = 0;       // in all
  double sum_of_others = 0;
};
Moved plus(const Moved& a, const Moved& b) {
  return {a.distance + b.distance, a.sum + b.sum, a.sum_of_others + b.sum_of_others};
}

struct Rank {
  using Gather = double;
  static Gather identity() { return 0; }
  static Gather combine(Gather a, Gather b) { return a + b; }

  VertexView<double> rank;
  VertexView<double> factor;  // damping by out-edges, 0 without
  VertexView<double> told;    // what each out-edge is to hear; first, what a vertex has heard
  double base;
  double kept;           // of its rank that may be pending
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
    if (std::abs(pending) <= kept * rank[v]) return false;
    rank[v] = base + total;
    const double along_edge = pending * factor[v];
    if (along_edge == 0) {
      if (mine != nullptr) mine->sum_of_others += pending;
      return false;
    }
    if (mine != nullptr) {
      mine->distance += std::abs(pending);
      mine->sum += pending;
    }
    told[v] = along_edge;
    return true;
  }
  Gather scatter(VertexId v) const { return told[v]; }
  // The most for an edge first, by powers of two: hubs, of which much is pending all the time, wait
  // until that is worth their many edges. What has no out-edges is last.
  std::int64_t priority(VertexId v, Gather total) const {
    constexpr std::int64_t kLast = 1 << 12;
    const double pending = std::abs(base + total - rank[v]);
    if (pending <= kept * rank[v]) return kNotNow;
    return factor[v] == 0 ? kLast : -std::ilogb(pending * factor[v]);
  }
};

// The change that is promised is a little below the tolerance; in rounds this much of it is for
// what vertices keep back, the rest for what was moved last.
constexpr double kMargin = 0.999;
constexpr double kKeptInRounds = 0.1;

double sum_of(const GlobalArray<double>& values) {
  return reduce_cores(
      [values] {
        double mine = 0;
        for (const double value : values.local()) mine += value;
        return mine;
      },
      0.0, std::plus<>());
}

/// What all cores have moved; the distances are then forgotten.
Moved take_moved(Replica<Moved> moved) {
  return reduce_cores(
      [moved] {
        Moved& mine = moved.data()[core_in_locale()];
        Moved taken = mine;
        mine.distance = 0;
        return taken;
      },
      Moved{}, plus);
}

/// What the ranks at first contribute to those of the out-neighbors.
struct FirstGather {
  using Value = double;
  static Value nothing() { return 0; }
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
  // In rounds 0 means exactly as many as are asked for; else nothing would end.
  const bool by_rounds = options.tolerance == 0 && engine == Engine::kSynchronous;
  if (!(options.tolerance > 0 || by_rounds))
    throw UsageError(fmt::format("pagerank_program: a tolerance of {}, expected a positive number",
                                 options.tolerance));
  if (options.max_iterations < 0)
    throw UsageError(
        fmt::format("pagerank_program: {} iterations are not possible", options.max_iterations));
  Owned<GlobalArray<double>> ranks = graph.make_vertex_array<double>();
  Owned<GlobalArray<double>> factor = graph.make_vertex_array<double>();
  Owned<GlobalArray<double>> told = graph.make_vertex_array<double>();
  const auto n = static_cast<double>(graph.vertex_count());
  const double damping = options.damping;
  const double base = (1 - damping) / n;
  const Moved at_first = reduce_cores(
      [graph, rank = *ranks, factor = *factor, base, n, damping] {
        const Adjacency out = graph.out();
        const std::int64_t first = factor.global_index(0);
        const std::int64_t end = std::min(graph.locale_end(), first + factor.local_size());
        std::int64_t others = 0;
        for (std::int64_t v = first; v < end; ++v) {
          const auto degree = static_cast<double>(out.degree(v));
          const auto i = static_cast<std::size_t>(v - first);
          factor.local()[i] = degree == 0 ? 0 : damping / degree;
          rank.local()[i] = degree == 0 ? base : 1 / n;
          others += degree == 0;
        }
        const std::int64_t all = std::max<std::int64_t>(0, end - first);
        return Moved{.sum = static_cast<double>(all - others) / n,
                     .sum_of_others = static_cast<double>(others) * base};
      },
      Moved{}, plus);
  const VertexView rank(*ranks);
  {
    Frontiers frontiers(graph);
    Frontier all = frontiers.all();
    edge_map(all, FirstGather{rank, VertexView(*factor), VertexView(*told)});
  }
  const double tolerance = options.tolerance * damping;  // what is pending may change so much
  Rank program{.rank = rank,
               .factor = VertexView(*factor),
               .told = VertexView(*told),
               .base = base,
               .kept = 0,
               .moved = {}};
  PageRankResult result;
  if (engine == Engine::kSynchronous) {
    program.kept = kKeptInRounds * tolerance;
    const Owned<Replica<Moved>> moves = Replica<Moved>::create(cores_per_locale());
    program.moved = *moves;
    const ProgramResult ran = run_synchronous(
        graph, program,
        {.max_rounds = options.max_iterations, .on_round = [&](std::int64_t, std::int64_t) {
           const Moved moved = plus(at_first, take_moved(program.moved));
           const double sum = moved.sum + moved.sum_of_others;
           const double pending = program.kept * sum + damping * moved.distance;
           // Not more than that, whatever rounding leaves of it.
           const double pending_sum = std::abs(1 - damping + damping * moved.sum - sum);
           result.change = (pending + std::min(pending, pending_sum)) / sum;
           return by_rounds || result.change > kMargin * tolerance;
         }});
    result.iterations = ran.rounds;
    if (ran.finished) result.change = 2 * program.kept;
    result.converged =
        !by_rounds && (ran.finished || (ran.rounds > 0 && result.change < tolerance));
    // Where nothing changes any more the rest of them would change nothing.
    if (by_rounds) result.iterations = options.max_iterations;
  } else {
    result.change = kMargin * tolerance;
    program.kept = result.change / 2;
    const ProgramResult ran = run_asynchronous(graph, program);
    result.iterations = 1 + ran.applied / std::max<std::int64_t>(1, graph.vertex_count());
    result.converged = true;
  }
  // As power iteration puts it: what the last iteration has changed, of which damping is pending.
  if (damping > 0) result.change /= damping;
  factor.reset();
  told.reset();
  // Without any iteration ranks are what they begin with by definition.
  const double sum = sum_of(*ranks);
  on_all_cores([values = *ranks, sum, n, begun = result.iterations > 0] {
    for (double& r : values.local()) r = begun ? r / sum : 1 / n;
  });
  result.rank = std::move(ranks);
  return result;
}

}  // namespace grappa::graph
