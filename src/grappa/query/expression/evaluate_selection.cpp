// The rows where an expression is true, as evaluation_node.hpp has them.

#include "grappa/query/expression/evaluation_node.hpp"

namespace grappa::query {

std::size_t Evaluator::Node::select(const Batch& batch, const SelectedRows& rows,
                                    Position* selected) {
  switch (expression->kind) {
    case ExpressionKind::kAnd:
      return select_all(batch, rows, selected);
    case ExpressionKind::kOr:
      return select_any(batch, rows, selected);
    case ExpressionKind::kCall:
      if (function.select != nullptr)
        return with_position([&] { return select_call(batch, rows, selected); });
      break;
    default:
      break;
  }
  return pick(evaluate(batch, rows), rows, selected);
}

std::size_t Evaluator::Node::pick(const Vector& truth, const SelectedRows& rows,
                                  Position* selected) {
  std::size_t kept = 0;
  const auto keep = [&](auto is_true) {
    rows.for_each([&](std::size_t row) {
      selected[kept] = static_cast<Position>(row);
      kept += is_true(row) ? 1 : 0;
    });
  };
  const auto* const values_of = truth.data<std::uint8_t>();
  if (truth.valid != nullptr || truth.is_constant) {
    keep([&](std::size_t row) { return truth.is_valid(row) && truth.at<std::uint8_t>(row) != 0; });
  } else if (truth.codes != nullptr) {
    keep([&](std::size_t row) { return values_of[truth.codes[row]] != 0; });
  } else {
    keep([&](std::size_t row) { return values_of[row] != 0; });
  }
  return kept;
}

std::size_t Evaluator::Node::select_all(const Batch& batch, SelectedRows rows, Position* selected) {
  for (const auto& argument : arguments) {
    rows = {rows.rows, argument->select(batch, rows, selected), selected};
    if (rows.count == 0) break;
  }
  return rows.count;
}

std::size_t Evaluator::Node::select_any(const Batch& batch, const SelectedRows& rows,
                                        Position* selected) {
  // The selection is written only when all terms have read it.
  some_rows.resize(kBatchRows);
  other_rows.resize(kBatchRows);
  marks.assign(words_for_bits(rows.rows), 0);
  SelectedRows open = rows;
  for (const auto& argument : arguments) {
    if (open.count == 0) break;
    const std::size_t chosen = argument->select(batch, open, some_rows.data());
    for (std::size_t i = 0; i < chosen; ++i) set_bit(marks.data(), some_rows[i]);
    std::size_t left = 0;
    open.for_each([&](std::size_t row) {
      other_rows[left] = static_cast<Position>(row);
      left += bit_at(marks.data(), row) ? 0 : 1;
    });
    open = {rows.rows, left, other_rows.data()};
  }
  std::size_t kept = 0;
  rows.for_each([&](std::size_t row) {
    selected[kept] = static_cast<Position>(row);
    kept += bit_at(marks.data(), row) ? 1 : 0;
  });
  return kept;
}

std::size_t Evaluator::Node::select_call(const Batch& batch, const SelectedRows& rows,
                                         Position* selected) {
  std::size_t varying = 0;
  bool coded = false;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    inputs[i] = arguments[i]->evaluate(batch, rows);
    varying += inputs[i].is_constant ? 0 : 1;
    coded |= inputs[i].dictionary_id != 0;
  }
  if (varying == 1 && coded) return pick(evaluate_call(batch, rows), rows, selected);
  flatten_inputs(arguments.size(), rows);
  KernelCall kernel_call = call_for(rows);
  kernel_call.selection = rows.selection;
  kernel_call.count = rows.count;
  std::size_t kept = function.select(kernel_call, selected);
  for (const Vector& input : inputs) {
    if (input.valid == nullptr) continue;
    std::size_t left = 0;
    for (std::size_t i = 0; i < kept; ++i) {
      selected[left] = selected[i];
      left += input.is_valid(selected[i]) ? 1 : 0;
    }
    kept = left;
  }
  return kept;
}

}  // namespace grappa::query
