#pragma once

#include <cstdint>
#include <optional>

namespace grappa::internal {

/// From here on, an Error that nobody catches ends the process with one line; in a job of several
/// processes, where `rank` is the number of this one, so does all else that nobody catches, and all
/// processes end. A handler of std::terminate that the program has set stays.
void end_by_uncaught_errors(std::optional<int> rank = std::nullopt);

/// How many errors there were in the last run besides the one that came out, for that line.
void count_other_errors(std::uint64_t others);

}  // namespace grappa::internal
