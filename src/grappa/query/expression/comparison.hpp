#pragma once

// = <> < <= > >= and IS [NOT] DISTINCT FROM, of values of one type.

#include <string_view>

#include "grappa/query/expression/function.hpp"

namespace grappa::query {

bool is_comparison(std::string_view name);
/// Of two values of that type.
const Function* comparison(std::string_view name, const Type& type);
/// a < b as b > a, say.
std::string_view turned_comparison(std::string_view name);

}  // namespace grappa::query
