#pragma once

// Casts between types, and IN.
//
// A cast that finds no value of its type is an error that names the value, or NULL where it is
// tolerant (TRY_CAST). Exact numbers round half away from zero, reals to the nearest even integer.

#include "grappa/query/expression/function.hpp"

namespace grappa::query {

/// Whether there is such a cast.
bool can_cast(const Type& from, const Type& to);
/// Whether it changes no value, and not how values lie in memory: more digits of a decimal.
bool is_renaming(const Type& from, const Type& to);
/// The kernel has `from` as its only argument.
Function cast_function(const Type& from, const Type& to, bool tolerant);

/// For an expression of the kind kIn.
Function in_function(const Expression& expression);

}  // namespace grappa::query
