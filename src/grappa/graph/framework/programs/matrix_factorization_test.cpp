#include "grappa/graph/framework/programs/matrix_factorization.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "grappa/base/error.hpp"
#include "grappa/graph/structure/collect.hpp"
#include "grappa/graph/test_graphs.hpp"
#include "grappa/parallel/test_allocations.hpp"

namespace grappa::graph {
namespace {

using test::TestGraph;

struct Ratings {
  std::int64_t rows;
  std::int64_t columns;
  std::vector<Edge> edges;  // from a row to a column
  std::vector<double> ratings;

  TestGraph graph() const {
    TestGraph made{"ratings", test::make_list(rows + columns, false, edges)};
    made.list.weights.assign(ratings.begin(), ratings.end());
    return made;
  }
};

/// Products of factors that are known, and a little noise. Some vertices have no ratings.
Ratings rate(std::int64_t rows, std::int64_t columns, std::int64_t wanted) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> unit(0, 1);
  std::vector<Factors> truth(static_cast<std::size_t>(rows + columns));
  for (Factors& one : truth)
    for (double& factor : one) factor = unit(random);
  Ratings made{rows, columns, {}, {}};
  for (std::int64_t i = 0; i < wanted; ++i) {
    // Squared, so that some have many and some few.
    const auto row = static_cast<VertexId>(std::pow(unit(random), 2) * static_cast<double>(rows));
    const auto column = static_cast<VertexId>(
        rows + static_cast<std::int64_t>(unit(random) * static_cast<double>(columns - 1)));
    made.edges.push_back({row, column});
    made.ratings.push_back(predicted(truth[row], truth[column]) + 0.01 * (unit(random) - 0.5));
  }
  return made;
}

/// Gauss's elimination with pivots, of a dense matrix.
std::vector<double> solve_dense(std::vector<std::vector<double>> a, std::vector<double> b) {
  const std::size_t n = b.size();
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t pivot = i;
    for (std::size_t r = i; r < n; ++r)
      if (std::abs(a[r][i]) > std::abs(a[pivot][i])) pivot = r;
    std::swap(a[i], a[pivot]);
    std::swap(b[i], b[pivot]);
    for (std::size_t r = 0; r < n; ++r) {
      if (r == i) continue;
      const double by = a[r][i] / a[i][i];
      for (std::size_t c = 0; c < n; ++c) a[r][c] -= by * a[i][c];
      b[r] -= by * b[i];
    }
  }
  for (std::size_t i = 0; i < n; ++i) b[i] /= a[i][i];
  return b;
}

struct Serial {
  std::vector<Factors> factors;
  std::vector<double> errors;      // after each iteration
  std::vector<double> objectives;  // what is minimized
};

Serial factorize_serially(const Ratings& ratings, const FactorizationOptions& options) {
  const auto n = static_cast<std::size_t>(ratings.rows + ratings.columns);
  std::vector<std::vector<std::pair<VertexId, double>>> of(n);
  for (std::size_t i = 0; i < ratings.edges.size(); ++i) {
    const Edge edge = ratings.edges[i];
    of[edge.source].emplace_back(edge.target, ratings.ratings[i]);
    of[edge.target].emplace_back(edge.source, ratings.ratings[i]);
  }
  Serial serial{std::vector<Factors>(n), {}, {}};
  for (auto v = static_cast<std::size_t>(ratings.rows); v < n; ++v)
    if (!of[v].empty()) serial.factors[v] = first_factors(options.seed, static_cast<VertexId>(v));
  const auto solve = [&](std::size_t v) {
    if (of[v].empty()) return;
    std::vector<std::vector<double>> a(kFactors, std::vector<double>(kFactors));
    std::vector<double> b(kFactors);
    for (const auto& [other, rating] : of[v]) {
      const Factors& y = serial.factors[other];
      for (std::size_t i = 0; i < kFactors; ++i) {
        for (std::size_t j = 0; j < kFactors; ++j) a[i][j] += y[i] * y[j];
        b[i] += y[i] * rating;
      }
    }
    for (std::size_t i = 0; i < kFactors; ++i)
      a[i][i] += options.regularization * static_cast<double>(of[v].size());
    const std::vector<double> x = solve_dense(a, b);
    std::ranges::copy(x, serial.factors[v].begin());
  };
  for (std::int64_t round = 0; round < options.iterations; ++round) {
    for (std::size_t v = 0; v < n; ++v)
      if (static_cast<std::int64_t>(v) < ratings.rows) solve(v);
    for (std::size_t v = 0; v < n; ++v)
      if (static_cast<std::int64_t>(v) >= ratings.rows) solve(v);
    double squares = 0;
    for (std::size_t i = 0; i < ratings.edges.size(); ++i) {
      const Edge edge = ratings.edges[i];
      squares += std::pow(
          ratings.ratings[i] - predicted(serial.factors[edge.source], serial.factors[edge.target]),
          2);
    }
    double objective = squares;
    for (std::size_t v = 0; v < n; ++v)
      objective += options.regularization * static_cast<double>(of[v].size()) *
                   predicted(serial.factors[v], serial.factors[v]);
    serial.errors.push_back(std::sqrt(squares / static_cast<double>(ratings.edges.size())));
    serial.objectives.push_back(objective);
  }
  return serial;
}

void expect_near(const std::vector<Factors>& found, const std::vector<Factors>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t v = 0; v < found.size(); ++v)
    for (std::size_t i = 0; i < kFactors; ++i)
      ASSERT_NEAR(found[v][i], expected[v][i], 1e-8) << "vertex " << v << ", factor " << i;
}

TEST(MatrixFactorization, IsThatOfASerialProgram) {
  const Ratings ratings = rate(700, 500, 20000);
  const TestGraph tests[] = {ratings.graph(), test::directed(ratings.graph())};
  FactorizationOptions options{.rows = 700, .iterations = 6, .regularization = 1e-3};
  const Serial serial = factorize_serially(ratings, options);
  std::vector<Factors> first;
  for (const Config& config : test::all_shapes()) {
    SCOPED_TRACE(grappa::test::describe(config));
    run(config, [&] {
      for (const auto& [test, order] :
           {std::pair(0, VertexOrder::kGiven), std::pair(0, VertexOrder::kByDegree),
            std::pair(1, VertexOrder::kGiven)}) {
        const Owned<Graph> graph = tests[test].build({.in_edges = true, .order = order});
        std::vector<double> errors;
        options.on_iteration = [&](std::int64_t iteration, double error) {
          errors.push_back(error);
          EXPECT_EQ(iteration, static_cast<std::int64_t>(errors.size()));
          return true;
        };
        const FactorizationResult found = factorize_matrix(*graph, options);
        const std::vector<Factors> factors = collect(*found.factors, *graph);
        expect_near(factors, serial.factors);
        EXPECT_EQ(found.iterations, 6);
        ASSERT_EQ(errors.size(), serial.errors.size());
        for (std::size_t i = 0; i < errors.size(); ++i)
          EXPECT_NEAR(errors[i], serial.errors[i], 1e-8);
        EXPECT_EQ(found.error, errors.back());
        if (order != VertexOrder::kGiven) continue;
        // The same to the last bit in all shapes.
        if (first.empty()) first = factors;
        EXPECT_EQ(factors, first);
      }
    });
  }
  for (std::size_t i = 1; i < serial.errors.size(); ++i) {
    EXPECT_LT(serial.errors[i], serial.errors[i - 1]);
    EXPECT_LT(serial.objectives[i], serial.objectives[i - 1]);
  }
}

TEST(MatrixFactorization, FindsWhatIsBehindTheRatings) {
  const Ratings ratings = rate(300, 200, 15000);
  const TestGraph test = ratings.graph();
  run(grappa::test::cluster(2, 2), [&] {
    const Owned<Graph> graph = test.build();
    const FactorizationResult found =
        factorize_matrix(*graph, {.rows = 300, .iterations = 60, .regularization = 1e-5});
    EXPECT_LT(found.error, 0.005);  // the noise is up to that
  });
}

TEST(MatrixFactorization, EndsWhenItIsTold) {
  const TestGraph test = rate(30, 20, 100).graph();
  run(grappa::test::threads(2), [&] {
    const Owned<Graph> graph = test.build();
    grappa::test::expect_nothing_left_behind([&] {
      const FactorizationResult found = factorize_matrix(
          *graph, {.rows = 30,
                   .on_iteration = [](std::int64_t iteration, double) { return iteration < 3; }});
      EXPECT_EQ(found.iterations, 3);
    });
    const std::size_t before = grappa::test::live_allocations();
    EXPECT_THROW(factorize_matrix(*graph, {.rows = 30,
                                           .on_iteration = [](std::int64_t, double) -> bool {
                                             throw Error("enough");
                                           }}),
                 Error);
    EXPECT_EQ(grappa::test::live_allocations(), before);
  });
}

TEST(MatrixFactorization, OfNothing) {
  run(grappa::test::cluster(2, 1), [] {
    const Owned<Graph> graph = build_graph(test::make_list(5, false, {}));
    const FactorizationResult found = factorize_matrix(*graph, {.rows = 2});
    EXPECT_EQ(found.iterations, 0);
    for (const Factors& factors : collect(*found.factors, 5)) EXPECT_EQ(factors, Factors{});
    const Owned<Graph> none = build_graph(test::make_list(0, false, {}));
    EXPECT_EQ(factorize_matrix(*none, {}).error, 0);
  });
}

TEST(MatrixFactorization, RefusesWhatMakesNoSense) {
  run(grappa::test::threads(1), [] {
    const Owned<Graph> directed = build_graph(test::make_list(3, true, {{0, 1}}));
    const Owned<Graph> graph = build_graph(test::make_list(4, false, {{0, 2}, {1, 3}}));
    EXPECT_NO_THROW(factorize_matrix(*graph, {.rows = 2}));
    EXPECT_THROW(factorize_matrix(*directed, {.rows = 1}), UsageError);
    EXPECT_THROW(factorize_matrix(*graph, {.rows = 1}), UsageError);
    EXPECT_THROW(factorize_matrix(*graph, {.rows = 3}), UsageError);
    EXPECT_THROW(factorize_matrix(*graph, {.rows = -1}), UsageError);
    EXPECT_THROW(factorize_matrix(*graph, {.rows = 5}), UsageError);
    EXPECT_THROW(factorize_matrix(*graph, {.rows = 2, .iterations = -1}), UsageError);
    EXPECT_THROW(factorize_matrix(*graph, {.rows = 2, .regularization = 0}), UsageError);
    EXPECT_THROW(factorize_matrix(Graph(), {}), UsageError);
  });
}

}  // namespace
}  // namespace grappa::graph
