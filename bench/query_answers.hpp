#pragma once

// Answers of queries as texts, to compare them with those of another system.
//
//   Rows found;
//   append_rows(found, batch);
//   if (const auto difference = difference_of(rows_of_json(text), found)) fail(*difference);

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grappa/query/vector.hpp"

namespace grappa::bench {

/// NULL is nothing.
using Rows = std::vector<std::vector<std::optional<std::string>>>;

/// Values as value_text.hpp has them.
void append_rows(Rows& rows, const query::Batch& batch);

/// Of an array of rows, which are arrays of texts and nulls. Error where it is none.
Rows rows_of_json(const std::string& text);

/// Where `found` is not what is expected, if so. Numbers that are whole in both are to be equal;
/// others may differ by a 10^9th, as systems add up in different orders and give averages different
/// types; and of a system that rounds averages of decimals, one of six or more digits behind the
/// point by what rounding to those takes away. So the order of rows that only such numbers decide
/// may differ, too; but no query of ours has such.
std::optional<std::string> difference_of(const Rows& expected, const Rows& found,
                                         bool may_be_rounded = false);

}  // namespace grappa::bench
