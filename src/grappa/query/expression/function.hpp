#pragma once

// Functions: what a name means for arguments of certain types, and the code that computes it for a
// batch.
//
//   const Function* plus = resolve("+", arguments).function;
//
// A kernel computes the selected rows of a batch; each argument is flat or constant. Where an
// argument is NULL, so is the result, before the kernel is asked, unless the function is told about
// NULLs; what a kernel computes in such places is not looked at.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "grappa/base/error.hpp"
#include "grappa/query/expression/expression.hpp"
#include "grappa/query/text_arena.hpp"
#include "grappa/query/vector.hpp"

namespace grappa::query {

/// What goes wrong while a query is computed: a number that is too large, a division by zero.
class QueryError : public UsageError {
 public:
  explicit QueryError(const std::string& text, std::int64_t position = -1)
      : UsageError(text), position_(position) {}
  /// Of what was computed, in the text of the statement (Expression::position).
  std::int64_t position() const noexcept { return position_; }

 private:
  std::int64_t position_;
};

/// The rows for which a kernel is called, and where it writes.
struct KernelCall {
  std::span<const Vector> arguments;
  std::size_t rows;
  std::size_t count;
  const Position* selection;
  void* values;
  /// Of the result, all ones where nothing is NULL; null if no argument may be NULL and the kernel
  /// makes none.
  std::uint64_t* valid;
  TextArena* texts;
  /// What prepare() made for this call.
  void* state;
  const Expression* expression;

  template <class F>
  void for_each(F&& f) const {
    for_each_selected(rows, count, selection, f);
  }
};

using Kernel = void (*)(const KernelCall& call);

/// A function for arguments of certain types.
struct Function {
  std::string name{};
  /// What it takes; the last one repeats if `variadic`.
  std::vector<Type> parameters{};
  Type result{};
  Kernel kernel = nullptr;
  bool variadic = false;
  /// Whether the kernel can throw.
  bool can_fail = false;
  /// Whether it makes NULLs of what is not NULL.
  bool makes_nulls = false;
  /// Whether the kernel is told about NULLs of its arguments.
  bool sees_nulls = false;
  /// Comparisons: what remains of a selection; much faster than a vector of booleans.
  std::size_t (*select)(const KernelCall& call, Position* selected) = nullptr;
  /// State of a call with constant arguments, such as a compiled pattern.
  std::shared_ptr<void> (*prepare)(const Expression& call) = nullptr;
};

/// What a name and types mean: the function, and what its arguments are cast to.
struct Resolved {
  const Function* function;
  std::vector<Type> parameters;
  std::optional<Range> range;
};
/// UsageError that names what there is, if there is none.
Resolved resolve(std::string_view name, const Expressions& arguments);
bool is_function(std::string_view name);
/// The names of all that there are.
std::vector<std::string_view> function_names();

}  // namespace grappa::query
