#pragma once

// Dates, times and intervals from text, and as text (value_text.hpp says which).
//
//   std::int32_t day;
//   if (!parse_date("2024-02-29", day)) …
//   append_date(line, day);
//
// What parsing returns false for has left the value as it was. Nothing behind the text is read.

#include <cstdint>
#include <string>
#include <string_view>

#include "grappa/query/type.hpp"

namespace grappa::query {

bool parse_date(std::string_view text, std::int32_t& days);
bool parse_time(std::string_view text, std::int64_t& microseconds);
bool parse_timestamp(std::string_view text, std::int64_t& microseconds);
bool parse_interval(std::string_view text, Interval& interval);

void append_date(std::string& out, std::int64_t days);
/// Not negative; of any number of hours.
void append_time(std::string& out, std::int64_t microseconds);
void append_interval(std::string& out, const Interval& interval);

}  // namespace grappa::query
