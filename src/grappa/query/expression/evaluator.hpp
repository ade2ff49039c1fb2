#pragma once

// Evaluator: an expression, ready to be computed for batches.
//
//   Evaluator sum(expression, positions);            // positions: where each column is in a batch
//   const Vector& values = sum.evaluate(batch);      // valid until the next call
//   batch.count = is_adult.select(batch, selected);
//
// Each part of the expression has memory of its own for its result. A function of one column that
// is coded by a dictionary is computed for the dictionary, once a block. For one core.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "grappa/query/expression/expression.hpp"
#include "grappa/query/expression/function.hpp"

namespace grappa::query {

/// Where a column is among those of a batch.
using ColumnPlaces = std::function<std::size_t(ColumnId)>;

class Evaluator {
 public:
  Evaluator(ExpressionPtr expression, const ColumnPlaces& places);
  Evaluator(Evaluator&&) noexcept;
  Evaluator& operator=(Evaluator&&) noexcept;
  ~Evaluator();

  const Expression& expression() const { return *expression_; }
  /// Of the selected rows; others have any value.
  const Vector& evaluate(const Batch& batch);
  /// The selected rows for which the expression is true, in `selected` [kBatchRows], which may be
  /// the selection of the batch; returns how many.
  std::size_t select(const Batch& batch, Position* selected);

  struct Node;

 private:
  ExpressionPtr expression_;
  std::unique_ptr<Node> root_;
};

/// The value of an expression without columns. What it throws is thrown.
Value evaluate_constant(const ExpressionPtr& expression);

/// The vector with a value for each row of the batch and no dictionary: itself, or in `buffer`.
/// Rows that are not selected have any value, as long as they are no texts.
class Flattener {
 public:
  Vector flat(const Vector& vector, const Batch& batch);

 private:
  std::vector<std::byte> values_;
  std::vector<std::uint64_t> valid_;
};

}  // namespace grappa::query
