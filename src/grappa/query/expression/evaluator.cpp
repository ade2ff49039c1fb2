#include "grappa/query/expression/evaluator.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <utility>

#include "grappa/query/expression/cast.hpp"

namespace grappa::query {
namespace {

/// Rows of a batch that something is computed for.
struct Rows {
  std::size_t rows;
  std::size_t count;
  const Position* selection;

  template <class F>
  void for_each(F&& f) const {
    if (selection == nullptr) {
      for (std::size_t row = 0; row < rows; ++row) f(row);
    } else {
      for (std::size_t i = 0; i < count; ++i) f(std::size_t{selection[i]});
    }
  }
};

Rows rows_of(const Batch& batch) { return {batch.rows, batch.count, batch.selection}; }

/// Memory for a value of each row, which grows and keeps its content's place, not the content.
class ValueBuffer {
 public:
  std::byte* at_least(std::size_t bytes) {
    if (bytes > size_) {
      bytes_ = std::make_unique<std::byte[]>(bytes);
      size_ = bytes;
    }
    return bytes_.get();
  }

 private:
  std::unique_ptr<std::byte[]> bytes_;
  std::size_t size_ = 0;
};

class BitBuffer {
 public:
  std::uint64_t* all_set(std::size_t bits) {
    words_.assign(words_for_bits(bits), ~std::uint64_t{0});
    return words_.data();
  }

 private:
  std::vector<std::uint64_t> words_;
};

/// valid &= that of the vector, for flat and constant ones.
void and_valid(std::uint64_t* valid, const Vector& vector, const Rows& rows) {
  if (vector.valid == nullptr) return;
  if (vector.is_flat()) {
    for (std::size_t i = 0; i < words_for_bits(rows.rows); ++i) valid[i] &= vector.valid[i];
  } else {
    rows.for_each([&](std::size_t row) {
      if (!vector.is_valid(row)) clear_bit(valid, row);
    });
  }
}

template <class T>
void gather_into(T* to, const Vector& vector, const Rows& rows) {
  const T* const from = vector.data<T>();
  rows.for_each([&](std::size_t row) { to[row] = from[vector.index(row)]; });
}

/// Values in their places, of a vector of whatever form.
void copy_values(std::byte* to, const Vector& vector, const Rows& rows) {
  with_physical(vector.type.physical(),
                [&]<class T>() { gather_into(reinterpret_cast<T*>(to), vector, rows); });
}

}  // namespace

Vector Flattener::flat(const Vector& vector, const Batch& batch) {
  if (vector.is_flat()) return vector;
  const Rows rows = rows_of(batch);
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

struct Evaluator::Node {
  ExpressionPtr expression;
  std::vector<std::unique_ptr<Node>> arguments;
  std::size_t place = 0;  // of a column
  Function function;      // of a call or cast
  std::shared_ptr<void> state;

  Vector result;
  ValueBuffer values;
  BitBuffer valid;
  TextArena texts;
  std::vector<Vector> inputs;
  std::vector<ValueBuffer> flattened;
  std::vector<BitBuffer> flattened_valid;
  std::vector<Position> some_rows;
  std::vector<Position> other_rows;
  std::vector<std::uint64_t> marks;

  // The result for a dictionary.
  std::uint64_t dictionary = 0;
  Vector of_dictionary;
  ValueBuffer dictionary_values;
  BitBuffer dictionary_valid;
  TextArena dictionary_texts;

  /// An error says where the expression is.
  template <class F>
  decltype(auto) with_position(F&& f) {
    try {
      return f();
    } catch (const QueryError& error) {
      if (error.position() >= 0 || expression->position < 0) throw;
      throw QueryError(error.what(), expression->position);
    }
  }

  Node(ExpressionPtr made_of, const ColumnPlaces& places) : expression(std::move(made_of)) {
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

  Vector make_constant() {
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

  const Vector& evaluate(const Batch& batch, const Rows& rows) {
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

  // ---- calls

  std::size_t argument_count() const {
    // What is looked for among the others is the only argument of an IN.
    return expression->kind == ExpressionKind::kIn ? 1 : arguments.size();
  }

  const Vector& evaluate_call(const Batch& batch, const Rows& rows) {
    const Vector* coded = nullptr;
    std::size_t varying = 0;
    const std::size_t count = argument_count();
    for (std::size_t i = 0; i < count; ++i) {
      inputs[i] = arguments[i]->evaluate(batch, rows);
      if (inputs[i].is_constant) continue;
      ++varying;
      if (inputs[i].dictionary_id != 0) coded = &inputs[i];
    }
    if (varying == 1 && coded != nullptr && !function.can_fail && !function.is_volatile &&
        (coded->dictionary_id == dictionary || coded->dictionary_size <= kMostForDictionary))
      return evaluate_dictionary(*coded, rows);
    flatten_inputs(count, rows);
    if (function.result.is_text() || expression->type.is_text()) texts.clear();
    result = compute(rows, values, valid, texts);
    return result;
  }

  static constexpr std::size_t kMostForDictionary = kBlockRows;

  const Vector& evaluate_dictionary(const Vector coded, const Rows&) {
    if (coded.dictionary_id != dictionary) {
      const Rows entries{coded.dictionary_size, coded.dictionary_size, nullptr};
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

  void flatten_inputs(std::size_t count, const Rows& rows) {
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

  /// Of inputs that are flat or constant.
  Vector compute(const Rows& rows, ValueBuffer& to, BitBuffer& bits, TextArena& arena) {
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

  KernelCall call_for(const Rows& rows) {
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
        !has_texts && !function.is_volatile) {
      made.selection = nullptr;
      made.count = rows.rows;
    }
    return made;
  }

  // ---- logic

  /// Values of booleans, and where they are valid; nullptr: everywhere.
  const Vector& evaluate_logic(const Batch& batch, const Rows& rows) {
    const bool is_and = expression->kind == ExpressionKind::kAnd;
    auto* const out = reinterpret_cast<std::uint8_t*>(values.at_least(rows.rows));
    std::uint64_t* const bits = valid.all_set(rows.rows);
    rows.for_each([&](std::size_t row) { out[row] = is_and ? 1 : 0; });
    // Rows that are decided are not asked again: the second term may fail where the first is false.
    some_rows.resize(kBatchRows);
    Rows open = rows;
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

  const Vector& evaluate_not(const Batch& batch, const Rows& rows) {
    result = arguments[0]->evaluate(batch, rows);
    auto* const out = reinterpret_cast<std::uint8_t*>(values.at_least(rows.rows));
    const Vector argument = result;
    rows.for_each([&](std::size_t row) { out[row] = argument.at<std::uint8_t>(row) == 0 ? 1 : 0; });
    set_flat_result(argument, rows);
    result.values = out;
    return result;
  }

  /// The result has the NULLs of the argument.
  void set_flat_result(const Vector& argument, const Rows& rows) {
    result = {.type = expression->type};
    if (argument.valid == nullptr) return;
    std::uint64_t* const bits = valid.all_set(rows.rows);
    and_valid(bits, argument, rows);
    result.valid = bits;
  }

  const Vector& evaluate_is_null(const Batch& batch, const Rows& rows) {
    const Vector& argument = arguments[0]->evaluate(batch, rows);
    auto* const out = reinterpret_cast<std::uint8_t*>(values.at_least(rows.rows));
    rows.for_each([&](std::size_t row) { out[row] = argument.is_valid(row) ? 0 : 1; });
    result = {.type = kBoolean, .values = out};
    return result;
  }

  // ---- choices

  void begin_choice(const Rows& rows) {
    std::byte* const out = values.at_least(rows.rows * size_of(expression->type.physical()));
    result = {.type = expression->type, .values = out, .valid = valid.all_set(rows.rows)};
  }
  void choose(const Vector& chosen, const Rows& rows) {
    auto* const out = static_cast<std::byte*>(const_cast<void*>(result.values));
    copy_values(out, chosen, rows);
    and_valid_at(const_cast<std::uint64_t*>(result.valid), chosen, rows);
  }
  static void and_valid_at(std::uint64_t* bits, const Vector& vector, const Rows& rows) {
    if (vector.valid == nullptr) return;
    rows.for_each([&](std::size_t row) {
      if (!vector.is_valid(row)) clear_bit(bits, row);
    });
  }

  const Vector& evaluate_case(const Batch& batch, const Rows& rows) {
    begin_choice(rows);
    some_rows.resize(kBatchRows);
    other_rows.resize(kBatchRows);
    Rows open = rows;
    std::size_t i = 0;
    for (; i + 1 < arguments.size() && open.count > 0; i += 2) {
      const Vector& condition = arguments[i]->evaluate(batch, open);
      std::size_t chosen = 0;
      std::size_t left = 0;
      open.for_each([&](std::size_t row) {
        const bool is_true = condition.is_valid(row) && condition.at<std::uint8_t>(row) != 0;
        some_rows[chosen] = static_cast<Position>(row);
        chosen += is_true ? 1 : 0;
        other_rows[left] = static_cast<Position>(row);
        left += is_true ? 0 : 1;
      });
      const Rows these{rows.rows, chosen, some_rows.data()};
      if (chosen > 0) choose(arguments[i + 1]->evaluate(batch, these), these);
      open = {rows.rows, left, other_rows.data()};
    }
    if (open.count > 0) choose(arguments.back()->evaluate(batch, open), open);
    return result;
  }

  const Vector& evaluate_coalesce(const Batch& batch, const Rows& rows) {
    begin_choice(rows);
    some_rows.resize(kBatchRows);
    other_rows.resize(kBatchRows);
    auto* const bits = const_cast<std::uint64_t*>(result.valid);
    Rows open = rows;
    for (const auto& argument : arguments) {
      if (open.count == 0) break;
      const Vector& value = argument->evaluate(batch, open);
      std::size_t chosen = 0;
      std::size_t left = 0;
      open.for_each([&](std::size_t row) {
        const bool is_valid = value.is_valid(row);
        some_rows[chosen] = static_cast<Position>(row);
        chosen += is_valid ? 1 : 0;
        other_rows[left] = static_cast<Position>(row);
        left += is_valid ? 0 : 1;
      });
      choose(value, {rows.rows, chosen, some_rows.data()});
      open = {rows.rows, left, other_rows.data()};
    }
    auto* const out = static_cast<std::byte*>(const_cast<void*>(result.values));
    const std::size_t size = size_of(result.type.physical());
    open.for_each([&](std::size_t row) {
      clear_bit(bits, row);
      std::memset(out + row * size, 0, size);
    });
    return result;
  }

  // ---- selection

  std::size_t select(const Batch& batch, const Rows& rows, Position* selected) {
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

  static std::size_t pick(const Vector& truth, const Rows& rows, Position* selected) {
    std::size_t kept = 0;
    const auto keep = [&](auto is_true) {
      rows.for_each([&](std::size_t row) {
        selected[kept] = static_cast<Position>(row);
        kept += is_true(row) ? 1 : 0;
      });
    };
    const auto* const values_of = truth.data<std::uint8_t>();
    if (truth.valid != nullptr || truth.is_constant) {
      keep(
          [&](std::size_t row) { return truth.is_valid(row) && truth.at<std::uint8_t>(row) != 0; });
    } else if (truth.codes != nullptr) {
      keep([&](std::size_t row) { return values_of[truth.codes[row]] != 0; });
    } else {
      keep([&](std::size_t row) { return values_of[row] != 0; });
    }
    return kept;
  }

  std::size_t select_all(const Batch& batch, Rows rows, Position* selected) {
    for (const auto& argument : arguments) {
      rows = {rows.rows, argument->select(batch, rows, selected), selected};
      if (rows.count == 0) break;
    }
    return rows.count;
  }

  std::size_t select_any(const Batch& batch, const Rows& rows, Position* selected) {
    // The selection is written only when all terms have read it.
    some_rows.resize(kBatchRows);
    other_rows.resize(kBatchRows);
    marks.assign(words_for_bits(rows.rows), 0);
    Rows open = rows;
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

  std::size_t select_call(const Batch& batch, const Rows& rows, Position* selected) {
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
};

Evaluator::Evaluator(ExpressionPtr expression, const ColumnPlaces& places)
    : expression_(std::move(expression)), root_(std::make_unique<Node>(expression_, places)) {}
Evaluator::Evaluator(Evaluator&&) noexcept = default;
Evaluator& Evaluator::operator=(Evaluator&&) noexcept = default;
Evaluator::~Evaluator() = default;

const Vector& Evaluator::evaluate(const Batch& batch) {
  return root_->evaluate(batch, rows_of(batch));
}
std::size_t Evaluator::select(const Batch& batch, Position* selected) {
  return root_->select(batch, rows_of(batch), selected);
}

Value evaluate_constant(const ExpressionPtr& expression) {
  Evaluator evaluator(expression, [](ColumnId) -> std::size_t { throw UsageError("no constant"); });
  Batch batch;
  batch.rows = batch.count = 1;
  return Value::of(evaluator.evaluate(batch), 0);
}

}  // namespace grappa::query
