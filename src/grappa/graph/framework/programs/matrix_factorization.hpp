#pragma once

// Matrix factorization by alternating least squares: a few numbers for each row and each column of
// a sparse matrix, so that the product of a row's and a column's is near what stands there. For
// recommendations: rows are users, columns what they rated (Y. Zhou, D. Wilkinson, R. Schreiber, R.
// Pan, "Large-scale parallel collaborative filtering for the Netflix prize", AAIM 2008, section 3).
//
//   // Users are vertices [0, users). An edge's weight is a rating, in whatever direction it leads.
//   const FactorizationResult found = factorize_matrix(graph, {.rows = users});
//   const std::vector<Factors> factors = collect(*found.factors, graph);
//   double guess = predicted(factors[user], factors[film]);
//
// A program for the pulling engine (pull_engine.hpp): a vertex publishes its factors; a round is
// one side, whose vertices gather their normal equations from the other side and solve them. What
// is minimized is the sum of the squared errors, plus `regularization` times, for each vertex, its
// number of ratings times the sum of its squared factors; no round makes that larger.
//
// Called by one task; switches tasks.

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>

#include "grappa/container/global_array.hpp"
#include "grappa/graph/structure/graph.hpp"
#include "grappa/parallel/owned.hpp"

namespace grappa::graph {

inline constexpr std::size_t kFactors = 6;
using Factors = std::array<double, kFactors>;

/// What the matrix has, or would have, where this row and this column meet.
double predicted(const Factors& row, const Factors& column);

struct FactorizationOptions {
  /// Vertices [0, rows), as numbered in the list that the graph was built from, are one side.
  std::int64_t rows = 0;
  std::int64_t iterations = 10;  // each solves for the rows, and then for the columns
  double regularization = 0.05;
  std::uint64_t seed = 1;  // of the columns' first factors
  /// Called after each iteration with its number, from 1, and the root mean square of the errors;
  /// returns whether to continue.
  std::function<bool(std::int64_t, double)> on_iteration = {};
};

struct FactorizationResult {
  Owned<GlobalArray<Factors>> factors;  // zeros where there are no ratings
  std::int64_t iterations = 0;
  double error = 0;  // root mean square of what was predicted wrong; 0 without iterations
};

/// The first factors of column `vertex` (numbered as in the list): all from 0 to below 1.
Factors first_factors(std::uint64_t seed, VertexId vertex);

/// UsageError for a directed graph without in-edges, an edge that has both ends on one side, rows
/// that are more than the vertices, a regularization that is not positive, and negative numbers.
FactorizationResult factorize_matrix(const Graph& ratings, const FactorizationOptions& options);

}  // namespace grappa::graph
