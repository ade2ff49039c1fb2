#include "grappa/graph/framework/programs/matrix_factorization.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "grappa/base/error.hpp"
#include "grappa/graph/framework/pull_engine.hpp"
#include "grappa/graph/generate/internal/counter_random.hpp"
#include "grappa/parallel/collectives.hpp"

namespace grappa::graph {
namespace {

/// The normal equations of a vertex: matrix * factors = right. Of a symmetric matrix the lower
/// triangle, row by row.
struct NormalEquations {
  std::array<double, kFactors*(kFactors + 1) / 2> matrix;
  Factors right;
  double squares;  // of the ratings
  double ratings;  // how many

  static std::size_t at(std::size_t i, std::size_t j) { return i * (i + 1) / 2 + j; }

  void add(const Factors& other, double rating) {
    for (std::size_t i = 0; i < kFactors; ++i) {
      for (std::size_t j = 0; j <= i; ++j) matrix[at(i, j)] += other[i] * other[j];
      right[i] += other[i] * rating;
    }
    squares += rating * rating;
    ratings += 1;
  }

  /// By Cholesky's decomposition, with `ridge` added to the diagonal, which makes it definite.
  Factors solve(double ridge) const {
    auto lower = matrix;
    Factors x = right;
    for (std::size_t i = 0; i < kFactors; ++i) lower[at(i, i)] += ridge;
    for (std::size_t i = 0; i < kFactors; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        double& entry = lower[at(i, j)];
        for (std::size_t k = 0; k < j; ++k) entry -= lower[at(i, k)] * lower[at(j, k)];
        entry = i == j ? std::sqrt(entry) : entry / lower[at(j, j)];
      }
      for (std::size_t k = 0; k < i; ++k) x[i] -= lower[at(i, k)] * x[k];
      x[i] /= lower[at(i, i)];
    }
    for (std::size_t i = kFactors; i-- > 0;) {
      for (std::size_t k = i + 1; k < kFactors; ++k) x[i] -= lower[at(k, i)] * x[k];
      x[i] /= lower[at(i, i)];
    }
    return x;
  }

  /// The sum of the squared errors with these factors.
  double error(const Factors& x) const {
    double sum = squares;
    for (std::size_t i = 0; i < kFactors; ++i) {
      sum += x[i] * (matrix[at(i, i)] * x[i] - 2 * right[i]);
      for (std::size_t j = 0; j < i; ++j) sum += 2 * x[i] * matrix[at(i, j)] * x[j];
    }
    return std::max(0.0, sum);
  }
};

/// What is known of a vertex besides its factors.
struct Side {
  double error;  // the sum of its squared errors when it was last applied
  bool is_row;
};

/// What is known at first.
struct StartFactors {
  Graph ratings;
  std::int64_t rows;
  std::uint64_t seed;
  VertexView<Factors> factors;
  VertexView<Side> side;
  Adjacency out = {};
  Adjacency in = {};

  void bind() {
    factors.bind();
    side.bind();
    out = ratings.out();
    in = ratings.in();
  }
  void operator()(VertexId v) const {
    const VertexId given = ratings.given(v);
    side[v].is_row = static_cast<std::int64_t>(given) < rows;
    if (!side[v].is_row && out.degree(v) + in.degree(v) > 0)
      factors[v] = first_factors(seed, given);
  }
};

struct AlternatingLeastSquares {
  using Gather = NormalEquations;
  using Value = Factors;
  static constexpr bool kWeighted = true;
  static constexpr Edges kGathers = Edges::kBoth;
  static Gather identity() { return {}; }

  VertexView<Factors> factors;
  VertexView<Side> side;
  double regularization;

  void bind() {
    factors.bind();
    side.bind();
  }
  bool starts(VertexId v) const { return side[v].is_row; }
  Value value(VertexId u) const { return factors[u]; }
  void gather(Gather& total, const auto& arc) const {
    total.add(arc.value, static_cast<double>(arc.weight));
  }
  bool apply(VertexId v, const Gather& total) const {
    factors[v] = total.ratings == 0 ? Factors{} : total.solve(regularization * total.ratings);
    side[v].error = total.error(factors[v]);
    return true;
  }
};

/// Refuses an edge that has both ends on one side.
void require_two_sides(const Graph& graph, std::int64_t rows) {
  const std::int64_t wrong = reduce_cores(
      [graph, rows] {
        const Adjacency out = graph.out();
        const auto is_row = [&](VertexId v) {
          return static_cast<std::int64_t>(graph.given(v)) < rows;
        };
        std::int64_t count = 0;
        for (std::int64_t v = graph.core_begin(); v < graph.core_end(); ++v) {
          const bool row = is_row(static_cast<VertexId>(v));
          count +=
              std::ranges::count_if(out.neighbors(v), [&](VertexId u) { return is_row(u) == row; });
        }
        return count;
      },
      std::int64_t{0}, std::plus<>());
  if (wrong > 0)
    throw UsageError(
        "factorize_matrix: an edge leads from a row to a row, or from a column to a "
        "column");
}

void check(const Graph& graph, const FactorizationOptions& options) {
  graph.require_live("factorize_matrix");
  graph.require_in_edges("factorize_matrix");
  if (options.rows < 0 || options.rows > graph.vertex_count())
    throw UsageError(fmt::format("factorize_matrix: {} rows in a graph of {} vertices",
                                 options.rows, graph.vertex_count()));
  if (options.iterations < 0)
    throw UsageError(
        fmt::format("factorize_matrix: {} iterations are not possible", options.iterations));
  if (!(options.regularization > 0))
    throw UsageError(
        fmt::format("factorize_matrix: a regularization of {}, expected a positive "
                    "number",
                    options.regularization));
  require_two_sides(graph, options.rows);
}

}  // namespace

double predicted(const Factors& row, const Factors& column) {
  return std::inner_product(row.begin(), row.end(), column.begin(), 0.0);
}

Factors first_factors(std::uint64_t seed, VertexId vertex) {
  constexpr double kUnit = 0x1p-53;
  const generate_detail::CounterRandom random(seed, generate_detail::kFactorStream);
  Factors factors;
  for (std::size_t i = 0; i < kFactors; ++i)
    factors[i] =
        static_cast<double>(random(static_cast<std::uint64_t>(vertex) * kFactors + i) >> 11) *
        kUnit;
  return factors;
}

FactorizationResult factorize_matrix(const Graph& ratings, const FactorizationOptions& options) {
  check(ratings, options);
  FactorizationResult result;
  result.factors = ratings.make_vertex_array<Factors>();
  const Owned<GlobalArray<Side>> sides = ratings.make_vertex_array<Side>();
  const VertexView factors(*result.factors);
  const VertexView side(*sides);
  {
    Frontiers frontiers(ratings);
    vertex_map(frontiers.all(), StartFactors{ratings, options.rows, options.seed, factors, side});
  }
  const auto end_round = [&](std::int64_t round, std::int64_t) {
    const bool is_for_rows = round % 2 == 1;
    if (is_for_rows) return true;
    const double squares = reduce_cores(
        [sides = *sides] {
          double sum = 0;
          for (const Side& one : sides.local())
            if (!one.is_row) sum += one.error;
          return sum;
        },
        0.0, std::plus<>());
    result.error = std::sqrt(squares / static_cast<double>(ratings.edge_count()));
    result.iterations = round / 2;
    return !options.on_iteration || options.on_iteration(result.iterations, result.error);
  };
  if (ratings.edge_count() > 0)
    run_pulling(ratings, AlternatingLeastSquares{factors, side, options.regularization},
                {.max_rounds = 2 * options.iterations, .on_round = end_round});
  return result;
}

}  // namespace grappa::graph
