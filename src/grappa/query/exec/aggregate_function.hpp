#pragma once

// Aggregate functions: sum, count, min, avg and the others.
//
//   const AggregateFunction sum = find_aggregate("sum", arguments, most_rows);
//   sum.start(state);
//   sum.add(call);
//   sum.merge(state, of_another_core, texts);
//   sum.finish(&state, 1, 0, out, texts);
//
// The state of a group lies in its row. NULLs are left out, but by count(*) and where a function
// says so.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "grappa/query/exec/row_layout.hpp"
#include "grappa/query/expression/expression.hpp"

namespace grappa::query {

/// States of the groups that the rows of a batch belong to.
struct AggregateCall {
  std::span<const Vector> arguments;
  const Batch* batch;
  /// The row of the group of the i-th selected row of the batch.
  std::byte* const* groups;
  std::size_t offset;         // of the state in the row
  TextArena* texts;           // for what states keep
  bool is_one_group = false;  // of all rows
};

struct AggregateFunction {
  std::string name{};
  std::vector<Type> parameters{};
  Type result{};
  std::size_t state_bytes = 0;
  std::size_t state_alignment = 8;
  /// At which of the state's bytes a TextRef lies, or -1.
  std::ptrdiff_t text_at = -1;
  void (*start)(std::byte* state) = nullptr;
  void (*add)(const AggregateCall& call) = nullptr;
  /// The texts of both outlive `to`; what it needs of its own goes to `texts`.
  void (*merge)(std::byte* to, const std::byte* from, TextArena& texts) = nullptr;
  /// Values of groups[0 … count - 1] into out.
  void (*finish)(std::byte* const* groups, std::size_t count, std::size_t offset, VectorBuffer& out,
                 TextArena& texts) = nullptr;
};

bool is_aggregate(std::string_view name);
/// UsageError if there is none for these types. The range of the argument, and how many rows there
/// are at most, choose the narrowest state that cannot overflow.
AggregateFunction find_aggregate(std::string_view name, const Expressions& arguments,
                                 std::int64_t most_rows);
std::vector<std::string_view> aggregate_names();

}  // namespace grappa::query
