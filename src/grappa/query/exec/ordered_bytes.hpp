#pragma once

// Values as bytes that compare as the values do.
//
//   std::string key;
//   append_ordered(key, vector, row, is_descending, nulls_first);
//   const bool is_first = key < other_key;      // of the same types

#include <cstddef>
#include <string>

#include "grappa/query/vector.hpp"

namespace grappa::query {

/// NaN is the greatest of numbers.
void append_ordered(std::string& to, const Vector& values, std::size_t row, bool descending = false,
                    bool nulls_first = false);

}  // namespace grappa::query
