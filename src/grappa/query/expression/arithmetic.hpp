#pragma once

// + - * / % and the sign, of numbers.
//
// The result of + and - of decimals has the greater scale of both, that of * their sum, exactly; a
// quotient of integers is an integer, one of decimals a double. Where the values of the arguments
// are known to lie so that no result can be too large for its type, nothing is checked; otherwise
// an integer that is too large is an error, and a decimal has 38 digits.

#include <optional>
#include <string_view>

#include "grappa/query/expression/function.hpp"

namespace grappa::query {

/// Of one or two numbers; nothing for other names and types.
std::optional<Resolved> resolve_arithmetic(std::string_view name, const Expressions& arguments);

}  // namespace grappa::query
