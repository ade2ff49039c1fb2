// Logic, CASE and COALESCE, as evaluation_node.hpp has them.

#include <cstring>

#include "grappa/query/expression/evaluation_node.hpp"

namespace grappa::query {
namespace {

void and_valid_at(std::uint64_t* bits, const Vector& vector, const SelectedRows& rows) {
  if (vector.valid == nullptr) return;
  rows.for_each([&](std::size_t row) {
    if (!vector.is_valid(row)) clear_bit(bits, row);
  });
}

}  // namespace

const Vector& Evaluator::Node::evaluate_logic(const Batch& batch, const SelectedRows& rows) {
  const bool is_and = expression->kind == ExpressionKind::kAnd;
  auto* const out = reinterpret_cast<std::uint8_t*>(values.at_least(rows.rows));
  std::uint64_t* const bits = valid.all_set(rows.rows);
  rows.for_each([&](std::size_t row) { out[row] = is_and ? 1 : 0; });
  // Rows that are decided are not asked again: the second term may fail where the first is false.
  some_rows.resize(kBatchRows);
  SelectedRows open = rows;
  for (const auto& argument : arguments) {
    if (open.count == 0) break;
    const Vector& term = argument->evaluate(batch, open);
    std::size_t left = 0;
    open.for_each([&](std::size_t row) {
      if (!term.is_valid(row)) {
        clear_bit(bits, row);
      } else if ((term.at<std::uint8_t>(row) != 0) != is_and) {
        out[row] = is_and ? 0 : 1;
        set_bit(bits, row);
        return;
      }
      some_rows[left++] = static_cast<Position>(row);
    });
    open = {rows.rows, left, some_rows.data()};
  }
  result = {.type = kBoolean, .values = out, .valid = bits};
  return result;
}

const Vector& Evaluator::Node::evaluate_not(const Batch& batch, const SelectedRows& rows) {
  result = arguments[0]->evaluate(batch, rows);
  auto* const out = reinterpret_cast<std::uint8_t*>(values.at_least(rows.rows));
  const Vector argument = result;
  rows.for_each([&](std::size_t row) { out[row] = argument.at<std::uint8_t>(row) == 0 ? 1 : 0; });
  set_flat_result(argument, rows);
  result.values = out;
  return result;
}

const Vector& Evaluator::Node::evaluate_is_null(const Batch& batch, const SelectedRows& rows) {
  const Vector& argument = arguments[0]->evaluate(batch, rows);
  auto* const out = reinterpret_cast<std::uint8_t*>(values.at_least(rows.rows));
  rows.for_each([&](std::size_t row) { out[row] = argument.is_valid(row) ? 0 : 1; });
  result = {.type = kBoolean, .values = out};
  return result;
}

void Evaluator::Node::set_flat_result(const Vector& argument, const SelectedRows& rows) {
  result = {.type = expression->type};
  if (argument.valid == nullptr) return;
  std::uint64_t* const bits = valid.all_set(rows.rows);
  and_valid(bits, argument, rows);
  result.valid = bits;
}

template <class IsChosen>
std::size_t Evaluator::Node::divide(const SelectedRows& rows, const IsChosen& is_chosen) {
  some_rows.resize(kBatchRows);
  other_rows.resize(kBatchRows);
  std::size_t chosen = 0;
  std::size_t left = 0;
  rows.for_each([&](std::size_t row) {
    const bool is_this = is_chosen(row);
    some_rows[chosen] = static_cast<Position>(row);
    chosen += is_this ? 1 : 0;
    other_rows[left] = static_cast<Position>(row);
    left += is_this ? 0 : 1;
  });
  return chosen;
}

const Vector& Evaluator::Node::evaluate_case(const Batch& batch, const SelectedRows& rows) {
  begin_choice(rows);
  SelectedRows open = rows;
  std::size_t i = 0;
  for (; i + 1 < arguments.size() && open.count > 0; i += 2) {
    const Vector& condition = arguments[i]->evaluate(batch, open);
    const std::size_t chosen = divide(open, [&](std::size_t row) {
      return condition.is_valid(row) && condition.at<std::uint8_t>(row) != 0;
    });
    const SelectedRows these{rows.rows, chosen, some_rows.data()};
    if (chosen > 0) choose(arguments[i + 1]->evaluate(batch, these), these);
    open = {rows.rows, open.count - chosen, other_rows.data()};
  }
  if (open.count > 0) choose(arguments.back()->evaluate(batch, open), open);
  return result;
}

const Vector& Evaluator::Node::evaluate_coalesce(const Batch& batch, const SelectedRows& rows) {
  begin_choice(rows);
  auto* const bits = const_cast<std::uint64_t*>(result.valid);
  SelectedRows open = rows;
  for (const auto& argument : arguments) {
    if (open.count == 0) break;
    const Vector& value = argument->evaluate(batch, open);
    const std::size_t chosen = divide(open, [&](std::size_t row) { return value.is_valid(row); });
    choose(value, {rows.rows, chosen, some_rows.data()});
    open = {rows.rows, open.count - chosen, other_rows.data()};
  }
  auto* const out = static_cast<std::byte*>(const_cast<void*>(result.values));
  const std::size_t size = size_of(result.type.physical());
  open.for_each([&](std::size_t row) {
    clear_bit(bits, row);
    std::memset(out + row * size, 0, size);
  });
  return result;
}

void Evaluator::Node::begin_choice(const SelectedRows& rows) {
  std::byte* const out = values.at_least(rows.rows * size_of(expression->type.physical()));
  result = {.type = expression->type, .values = out, .valid = valid.all_set(rows.rows)};
}

void Evaluator::Node::choose(const Vector& chosen, const SelectedRows& rows) {
  auto* const out = static_cast<std::byte*>(const_cast<void*>(result.values));
  copy_values(out, chosen, rows);
  and_valid_at(const_cast<std::uint64_t*>(result.valid), chosen, rows);
}

}  // namespace grappa::query
