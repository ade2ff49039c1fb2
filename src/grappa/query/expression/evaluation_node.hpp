#pragma once

// An expression while it is evaluated: a node for each operator, with the memory for what it gives.
//
//   Evaluator::Node root(expression, positions);
//   const Vector& values = root.evaluate(batch, selected_rows(batch));

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "grappa/query/expression/evaluator.hpp"
#include "grappa/query/expression/function.hpp"
#include "grappa/query/text_arena.hpp"
#include "grappa/query/vector.hpp"

namespace grappa::query {

/// Rows of a batch that something is computed for.
struct SelectedRows {
  std::size_t rows;
  std::size_t count;
  const Position* selection;

  template <class F>
  void for_each(F&& f) const {
    for_each_selected(rows, count, selection, f);
  }
};

inline SelectedRows selected_rows(const Batch& batch) {
  return {batch.rows, batch.count, batch.selection};
}

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
void and_valid(std::uint64_t* valid, const Vector& vector, const SelectedRows& rows);
/// Values in their places, of a vector of whatever form.
void copy_values(std::byte* to, const Vector& vector, const SelectedRows& rows);

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

  Node(ExpressionPtr made_of, const ColumnPlaces& places);
  const Vector& evaluate(const Batch& batch, const SelectedRows& rows);

  // ---- evaluator.cpp: constants and calls

  Vector make_constant();
  std::size_t argument_count() const {
    // What is looked for among the others is the only argument of an IN.
    return expression->kind == ExpressionKind::kIn ? 1 : arguments.size();
  }
  const Vector& evaluate_call(const Batch& batch, const SelectedRows& rows);
  const Vector& evaluate_dictionary(Vector coded);
  void flatten_inputs(std::size_t count, const SelectedRows& rows);
  /// Of inputs that are flat or constant.
  Vector compute(const SelectedRows& rows, ValueBuffer& to, BitBuffer& bits, TextArena& arena);
  KernelCall call_for(const SelectedRows& rows);

  // ---- evaluate_logic.cpp: logic and choices

  /// Values of booleans, and where they are valid; nullptr: everywhere.
  const Vector& evaluate_logic(const Batch& batch, const SelectedRows& rows);
  const Vector& evaluate_not(const Batch& batch, const SelectedRows& rows);
  const Vector& evaluate_is_null(const Batch& batch, const SelectedRows& rows);
  /// The result has the NULLs of the argument.
  void set_flat_result(const Vector& argument, const SelectedRows& rows);
  const Vector& evaluate_case(const Batch& batch, const SelectedRows& rows);
  const Vector& evaluate_coalesce(const Batch& batch, const SelectedRows& rows);
  void begin_choice(const SelectedRows& rows);
  /// Writes the rows to some_rows, of which it returns the number, or to other_rows.
  template <class IsChosen>
  std::size_t divide(const SelectedRows& rows, const IsChosen& is_chosen);
  void choose(const Vector& chosen, const SelectedRows& rows);

  // ---- evaluate_selection.cpp: the rows where it is true

  std::size_t select(const Batch& batch, const SelectedRows& rows, Position* selected);
  static std::size_t pick(const Vector& truth, const SelectedRows& rows, Position* selected);
  std::size_t select_all(const Batch& batch, SelectedRows rows, Position* selected);
  std::size_t select_any(const Batch& batch, const SelectedRows& rows, Position* selected);
  std::size_t select_call(const Batch& batch, const SelectedRows& rows, Position* selected);
};

}  // namespace grappa::query
