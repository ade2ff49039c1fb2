#pragma once

// Values from text, and as text: for casts, files and results.
//
//   std::int32_t day;
//   if (!parse("2024-02-29", kDate, day)) …               // T is the physical type
//   append_text(line, day, kDate);                         // "2024-02-29"
//
// Text of                        is
//   boolean                      true, t, yes, y, 1; false, f, no, n, 0; in any case
//   integers, decimals, doubles  as number_text.hpp says
//   date                         YYYY-MM-DD, of a year from 1 on, or with " (BC)" behind
//   time                         HH:MM[:SS[.ffffff]], up to 24:00:00
//   timestamp                    a date; behind a blank or T a time; behind that Z or ±HH[:MM]
//   interval                     3 months 2 days -04:05:06, 1.5 years, 2 weeks ago
// Blanks may be around it. What is written reads back as the same value: decimals have all digits
// of their scale, doubles the fewest that tell them from others, times no zeros at their end.
//
// Nothing behind a text is read. Any thread.

#include <cstdint>
#include <string>
#include <string_view>

#include "grappa/query/number_text.hpp"
#include "grappa/query/type.hpp"

namespace grappa::query {

/// False where the text is no value of the type; `value` is then what it was. A text is that text,
/// not a copy.
template <class T>
bool parse(std::string_view text, const Type& type, T& value);

/// As it reads back.
template <class T>
void append_text(std::string& out, const T& value, const Type& type);

}  // namespace grappa::query
