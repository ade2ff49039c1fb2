#pragma once

// How a process ends by what nobody catches: with one line, and a status that says whose fault it
// is (exit_status_of).
//
//   end_by_uncaught_errors();             // by whoever makes an Error
//   end_by_uncaught_exceptions();         // by whoever starts the runtime
//
// Errors of the library end a process so from the first one on, whether there was a run or not. A
// program that only reads a Config keeps for its own exceptions what it had; one that has started
// the runtime ends by all of them in this way. A handler of std::terminate that the program has
// set, before or after, stays.
//
// Thread safety: all functions may be called by any thread.

#include <cstdint>
#include <optional>

namespace grappa::internal {

/// From here on, an Error that nobody catches ends the process with one line.
void end_by_uncaught_errors() noexcept;

/// From here on, so does all else that nobody catches, and std::terminate; in a job of several
/// processes, where `rank` is the number of this one, all of them end.
void end_by_uncaught_exceptions(std::optional<int> rank = std::nullopt) noexcept;

/// How many errors there were in the last run besides the one that came out, for that line.
void count_other_errors(std::uint64_t others);

}  // namespace grappa::internal
