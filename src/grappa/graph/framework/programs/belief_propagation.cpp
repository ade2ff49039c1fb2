#include "grappa/graph/framework/programs/belief_propagation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "grappa/base/error.hpp"
#include "grappa/graph/framework/pull_engine.hpp"
#include "grappa/parallel/collectives.hpp"

namespace grappa::graph {
namespace {

/// Numbers whose logarithms are, but for a common summand, these: such that they sum to 1.
States normalized(const States& logarithms) {
  const double greatest = *std::ranges::max_element(logarithms);
  States numbers;
  for (std::size_t x = 0; x < kStates; ++x) numbers[x] = std::exp(logarithms[x] - greatest);
  const double sum = std::accumulate(numbers.begin(), numbers.end(), 0.0);
  for (double& number : numbers) number /= sum;
  return numbers;
}

/// The beliefs before anybody has heard of anybody.
struct FirstBelief {
  VertexView<States> potential;
  VertexView<States> belief;

  void bind() {
    potential.bind();
    belief.bind();
  }
  void operator()(VertexId v) const {
    const double sum = std::accumulate(potential[v].begin(), potential[v].end(), 0.0);
    for (std::size_t x = 0; x < kStates; ++x) belief[v][x] = potential[v][x] / sum;
  }
};

/// Of messages, by state. Many numbers below 1: the products may be below the least double, in one
/// state long before another. A logarithm for each message would cost most of a round.
struct Product {
  States fraction;
  std::array<std::int64_t, kStates> scaled;  // how often a fraction was multiplied by kScale

  static constexpr double kScale = 0x1p512;

  void multiply(const States& message) {
    for (std::size_t x = 0; x < kStates; ++x) {
      fraction[x] *= message[x];
      if (fraction[x] * kScale >= 1) continue;
      fraction[x] *= kScale;
      ++scaled[x];
    }
  }
  double logarithm(std::size_t x) const {
    return std::log(fraction[x]) - static_cast<double>(scaled[x]) * std::log(kScale);
  }
};

struct SumProduct {
  using Gather = Product;
  using EdgeValue = States;  // a message: positive, the sum is 1
  static constexpr bool kWeighted = true;
  static Gather identity() {
    Product one{};
    one.fraction.fill(1);
    return one;
  }

  VertexView<States> potential;
  VertexView<States> belief;
  VertexView<double> change;  // of the belief, in the last round
  double damping;

  void bind() {
    potential.bind();
    belief.bind();
    change.bind();
  }
  EdgeValue first_edge_value(const auto&) const {
    EdgeValue even;
    even.fill(1.0 / kStates);
    return even;
  }
  void gather(Gather& total, const auto& arc) const { total.multiply(arc.edge); }
  bool apply(VertexId v, const Gather& total) const {
    States logarithms;
    for (std::size_t x = 0; x < kStates; ++x)
      logarithms[x] = std::log(potential[v][x]) + total.logarithm(x);
    const States before = belief[v];
    belief[v] = normalized(logarithms);
    change[v] = 0;
    for (std::size_t x = 0; x < kStates; ++x)
      change[v] = std::max(change[v], std::abs(belief[v][x] - before[x]));
    return true;
  }
  /// What u believes without what the target has told it, seen through the edge.
  void scatter(const auto& arc, EdgeValue& message) const {
    States others;
    for (std::size_t x = 0; x < kStates; ++x) others[x] = belief[arc.source][x] / (*arc.back)[x];
    const double all = std::accumulate(others.begin(), others.end(), 0.0);
    const auto weight = static_cast<double>(arc.weight);
    for (std::size_t y = 0; y < kStates; ++y) {
      const double same = others[y] / all;
      const double sent = (1 - same + weight * same) / (kStates - 1 + weight);
      message[y] = damping * message[y] + (1 - damping) * sent;
    }
  }
};

void check(const Graph& graph, const GlobalArray<States>& potential, const BeliefOptions& options) {
  graph.require_live("propagate_beliefs");
  if (graph.is_directed())
    throw UsageError("propagate_beliefs: the graph is directed; build it with symmetrize");
  constexpr double kMost = 1e100;
  const WeightRange& weights = graph.weight_range();
  if (graph.edge_count() > 0 && !(weights.least >= 1 / kMost && weights.greatest <= kMost))
    throw UsageError(
        fmt::format("propagate_beliefs: weights from {} to {}, expected them from {} to {}",
                    weights.least, weights.greatest, 1 / kMost, kMost));
  if (!(options.damping >= 0 && options.damping < 1))
    throw UsageError(
        fmt::format("propagate_beliefs: a damping of {}, expected a number from 0 to below 1",
                    options.damping));
  if (!(options.tolerance >= 0))
    throw UsageError(fmt::format("propagate_beliefs: tolerance {} is negative", options.tolerance));
  if (options.max_rounds < 0)
    throw UsageError(
        fmt::format("propagate_beliefs: {} rounds are not possible", options.max_rounds));
  if (potential.size() != graph.vertices_per_core() * core_count())
    throw UsageError(
        fmt::format("propagate_beliefs: an array of {} potentials, those of this graph have {}",
                    potential.size(), graph.vertices_per_core() * core_count()));
  const std::int64_t wrong = reduce_cores(
      [graph, potential] {
        const std::int64_t here =
            std::max<std::int64_t>(0, graph.locale_end() - potential.global_index(0));
        const auto mine = potential.local();
        return static_cast<std::int64_t>(std::ranges::count_if(
            mine.first(std::min(mine.size(), static_cast<std::size_t>(here))),
            [](const States& states) {
              const double sum = std::accumulate(states.begin(), states.end(), 0.0);
              return std::ranges::any_of(states, [](double x) { return !(x >= 0); }) ||
                     !(sum > 0 && std::isfinite(sum));
            }));
      },
      std::int64_t{0}, std::plus<>());
  if (wrong > 0)
    throw UsageError(
        fmt::format("propagate_beliefs: {} vertices have potentials that are negative, not finite, "
                    "or all 0",
                    wrong));
}

}  // namespace

BeliefResult propagate_beliefs(const Graph& graph, const GlobalArray<States>& potential,
                               const BeliefOptions& options) {
  check(graph, potential, options);
  BeliefResult result;
  result.belief = graph.make_vertex_array<States>();
  const Owned<GlobalArray<double>> changes = graph.make_vertex_array<double>();
  const SumProduct program{.potential = VertexView(potential),
                           .belief = VertexView(*result.belief),
                           .change = VertexView(*changes),
                           .damping = options.damping};
  {
    Frontiers frontiers(graph);
    vertex_map(frontiers.all(), FirstBelief{program.potential, program.belief});
  }
  // In the first round all messages are even, and nothing changes.
  const auto end_round = [&](std::int64_t round, std::int64_t) {
    result.change = reduce_cores([changes = *changes] { return std::ranges::max(changes.local()); },
                                 0.0, [](double a, double b) { return std::max(a, b); });
    result.converged = round > 1 && result.change <= options.tolerance;
    return !result.converged;
  };
  const ProgramResult ran =
      run_pulling(graph, program, {.max_rounds = options.max_rounds, .on_round = end_round});
  result.rounds = ran.rounds;
  result.converged = result.converged || ran.finished;  // as without edges
  return result;
}

}  // namespace grappa::graph
