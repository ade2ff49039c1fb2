#pragma once

// Which window functions there are, and of which types their values are.
//
//   if (is_window_function("rank")) column = numbers.make(window_type(item), "rank");

#include <string_view>

#include "grappa/query/plan/relation.hpp"

namespace grappa::query {

/// row_number, rank, lag and the others that are no aggregates.
bool is_window_function(std::string_view name);
/// lag, first_value and the others that give the value of a row as it is.
bool shows_a_value(std::string_view name);
/// Of what a window function or an aggregate over a window gives. Casts the arguments to what it
/// takes. UsageError.
Type window_type(WindowItem& item);

}  // namespace grappa::query
