#pragma once

// Dates and times in a form that is given, by the letters of C's strftime.
//
//   append_formatted(line, "%d.%m.%Y", timestamp);
//   parse_formatted("29.02.2024", "%d.%m.%Y", timestamp);    // false: it is none
//
// %Y %y %m %d %H %I %M %S %p %f (microseconds) %g (milliseconds) %n (nanoseconds) %j %b %B %a %A
// and %%; %-d and the like without zeros in front. Only written: %u %w %U %W %V %G %c %x %X.

#include <cstdint>
#include <string>
#include <string_view>

namespace grappa::query {

/// QueryError for a letter that means nothing.
void append_formatted(std::string& out, std::string_view format, std::int64_t timestamp);
/// What the format leaves out is that of 1900-01-01 00:00.
bool parse_formatted(std::string_view text, std::string_view format, std::int64_t& timestamp);

}  // namespace grappa::query
