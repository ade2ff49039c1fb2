#include "grappa/query/expression/evaluator.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "grappa/query/expression/cast.hpp"
#include "grappa/query/expression/evaluation_node.hpp"

namespace grappa::query {
namespace {

constexpr std::size_t kMostForDictionary = kBlockRows;

template <class T>
void gather_into(T* to, const Vector& vector, const SelectedRows& rows) {
  const T* const from = vector.data<T>();
  rows.for_each([&](std::size_t row) { to[row] = from[vector.index(row)]; });
}

}  // namespace

void and_valid(std::uint64_t* valid, const Vector& vector, const SelectedRows& rows) {
  if (vector.valid == nullptr) return;
  if (vector.is_flat()) {
    for (std::size_t i = 0; i < words_for_bits(rows.rows); ++i) valid[i] &= vector.valid[i];
  } else {
    rows.for_each([&](std::size_t row) {
      if (!vector.is_valid(row)) clear_bit(valid, row);
    });
  }
}

void copy_values(std::byte* to, const Vector& vector, const SelectedRows& rows) {
  with_physical(vector.type.physical(),
                [&]<class T>() { gather_into(reinterpret_cast<T*>(to), vector, rows); });
}

Vector Flattener::flat(const Vector& vector, const Batch& batch) {
  if (vector.is_flat()) return vector;
  const SelectedRows rows = selected_rows(batch);
  values_.resize(std::max(values_.size(), batch.rows * size_of(vector.type.physical())));
  copy_values(values_.data(), vector, rows);
  Vector made{.type = vector.type, .values = values_.data()};
  if (vector.valid != nullptr) {
    valid_.assign(words_for_bits(batch.rows), ~std::uint64_t{0});
    and_valid(valid_.data(), vector, rows);
    made.valid = valid_.data();
  }
  return made;
}

Evaluator::Node::Node(ExpressionPtr made_of, const ColumnPlaces& places)
    : expression(std::move(made_of)) {
  for (const ExpressionPtr& argument : expression->arguments)
    arguments.push_back(std::make_unique<Node>(argument, places));
  inputs.resize(arguments.size());
  flattened.resize(arguments.size());
  flattened_valid.resize(arguments.size());
  switch (expression->kind) {
    case ExpressionKind::kColumn:
      place = places(expression->column);
      break;
    case ExpressionKind::kConstant:
      result = make_constant();
      break;
    case ExpressionKind::kCall:
      function = *expression->function;
      if (function.prepare != nullptr)
        state = with_position([&] { return function.prepare(*expression); });
      break;
    case ExpressionKind::kCast:
      function =
          cast_function(expression->arguments[0]->type, expression->type, expression->tolerant);
      break;
    case ExpressionKind::kIn:
      function = in_function(*expression);
      state = function.prepare(*expression);
      break;
    default:
      break;
  }
}

Vector Evaluator::Node::make_constant() {
  const Value& value = expression->value;
  Vector made{.type = expression->type, .is_constant = true};
  std::byte* const to = values.at_least(16);
  std::memset(to, 0, 16);
  if (value.is_null()) {
    std::uint64_t* const bits = valid.all_set(1);
    bits[0] = 0;
    made.valid = bits;
  } else {
    with_physical(expression->type.physical(), [&]<class T>() {
      const T stored = value.stored<T>();
      std::memcpy(to, &stored, sizeof stored);
    });
  }
  made.values = to;
  return made;
}

const Vector& Evaluator::Node::evaluate(const Batch& batch, const SelectedRows& rows) {
  switch (expression->kind) {
    case ExpressionKind::kColumn:
      return batch.columns[place];
    case ExpressionKind::kConstant:
      return result;
    case ExpressionKind::kCast:
      if (is_renaming(expression->arguments[0]->type, expression->type)) {
        result = arguments[0]->evaluate(batch, rows);
        result.type = expression->type;
        return result;
      }
      [[fallthrough]];
    case ExpressionKind::kCall:
    case ExpressionKind::kIn:
      return with_position([&]() -> const Vector& { return evaluate_call(batch, rows); });
    case ExpressionKind::kAnd:
    case ExpressionKind::kOr:
      return evaluate_logic(batch, rows);
    case ExpressionKind::kNot:
      return evaluate_not(batch, rows);
    case ExpressionKind::kIsNull:
      return evaluate_is_null(batch, rows);
    case ExpressionKind::kCase:
      return evaluate_case(batch, rows);
    case ExpressionKind::kCoalesce:
      return evaluate_coalesce(batch, rows);
  }
  __builtin_unreachable();
}

const Vector& Evaluator::Node::evaluate_call(const Batch& batch, const SelectedRows& rows) {
  const Vector* coded = nullptr;
  std::size_t varying = 0;
  const std::size_t count = argument_count();
  for (std::size_t i = 0; i < count; ++i) {
    inputs[i] = arguments[i]->evaluate(batch, rows);
    if (inputs[i].is_constant) continue;
    ++varying;
    if (inputs[i].dictionary_id != 0) coded = &inputs[i];
  }
  if (varying == 1 && coded != nullptr && !function.can_fail &&
      (coded->dictionary_id == dictionary || coded->dictionary_size <= kMostForDictionary))
    return evaluate_dictionary(*coded);
  flatten_inputs(count, rows);
  if (function.result.is_text() || expression->type.is_text()) texts.clear();
  result = compute(rows, values, valid, texts);
  return result;
}

const Vector& Evaluator::Node::evaluate_dictionary(const Vector coded) {
  if (coded.dictionary_id != dictionary) {
    const SelectedRows entries{coded.dictionary_size, coded.dictionary_size, nullptr};
    for (Vector& input : std::span(inputs).first(argument_count())) {
      if (input.is_constant) continue;
      input.codes = nullptr;
    }
    dictionary_texts.clear();
    of_dictionary = compute(entries, dictionary_values, dictionary_valid, dictionary_texts);
    of_dictionary.dictionary_id = new_dictionary_id();
    of_dictionary.dictionary_size = coded.dictionary_size;
    dictionary = coded.dictionary_id;
  }
  result = of_dictionary;
  result.codes = coded.codes;
  return result;
}

void Evaluator::Node::flatten_inputs(std::size_t count, const SelectedRows& rows) {
  for (std::size_t i = 0; i < count; ++i) {
    Vector& input = inputs[i];
    if (input.codes == nullptr) continue;
    std::byte* const to = flattened[i].at_least(rows.rows * size_of(input.type.physical()));
    copy_values(to, input, rows);
    Vector flat{.type = input.type, .values = to};
    if (input.valid != nullptr) {
      std::uint64_t* const bits = flattened_valid[i].all_set(rows.rows);
      and_valid(bits, input, rows);
      flat.valid = bits;
    }
    input = flat;
  }
}

Vector Evaluator::Node::compute(const SelectedRows& rows, ValueBuffer& to, BitBuffer& bits,
                                TextArena& arena) {
  const std::span<const Vector> given = std::span(inputs).first(argument_count());
  Vector made{.type = expression->type};
  made.values = to.at_least(rows.rows * size_of(made.type.physical()));
  KernelCall kernel_call = call_for(rows);
  kernel_call.values = const_cast<void*>(made.values);
  kernel_call.texts = &arena;
  const bool nullable = std::ranges::any_of(given, [](const Vector& v) { return v.valid; });
  if (function.makes_nulls || (nullable && !function.sees_nulls)) {
    kernel_call.valid = bits.all_set(rows.rows);
    made.valid = kernel_call.valid;
    if (!function.sees_nulls)
      for (const Vector& input : given) and_valid(kernel_call.valid, input, rows);
    if (function.can_fail && nullable) {
      some_rows.resize(std::max<std::size_t>(rows.rows, 1));
      std::size_t kept = 0;
      rows.for_each([&](std::size_t row) {
        some_rows[kept] = static_cast<Position>(row);
        kept += bit_at(kernel_call.valid, row) ? 1 : 0;
      });
      kernel_call.selection = some_rows.data();
      kernel_call.count = kept;
    }
  }
  function.kernel(kernel_call);
  return made;
}

KernelCall Evaluator::Node::call_for(const SelectedRows& rows) {
  const std::span<const Vector> given = std::span(inputs).first(argument_count());
  KernelCall made{.arguments = given,
                  .rows = rows.rows,
                  .count = rows.count,
                  .selection = rows.selection,
                  .values = nullptr,
                  .valid = nullptr,
                  .texts = nullptr,
                  .state = state.get(),
                  .expression = expression.get()};
  // Computing all rows is faster than looking at which, if nothing speaks against it.
  const bool has_texts =
      std::ranges::any_of(given, [](const Vector& v) { return v.type.is_text(); });
  if (rows.selection != nullptr && rows.count * 4 >= rows.rows && !function.can_fail &&
      !has_texts) {
    made.selection = nullptr;
    made.count = rows.rows;
  }
  return made;
}

Evaluator::Evaluator(ExpressionPtr expression, const ColumnPlaces& places)
    : expression_(std::move(expression)), root_(std::make_unique<Node>(expression_, places)) {}
Evaluator::Evaluator(Evaluator&&) noexcept = default;
Evaluator& Evaluator::operator=(Evaluator&&) noexcept = default;
Evaluator::~Evaluator() = default;

const Vector& Evaluator::evaluate(const Batch& batch) {
  return root_->evaluate(batch, selected_rows(batch));
}
std::size_t Evaluator::select(const Batch& batch, Position* selected) {
  return root_->select(batch, selected_rows(batch), selected);
}

Value evaluate_constant(const ExpressionPtr& expression) {
  Evaluator evaluator(expression, [](ColumnId) -> std::size_t { throw UsageError("no constant"); });
  Batch batch;
  batch.rows = batch.count = 1;
  return Value::of(evaluator.evaluate(batch), 0);
}

}  // namespace grappa::query
