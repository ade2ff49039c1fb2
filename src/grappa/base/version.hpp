#pragma once

// What this build of the library is, for `--version` and for the head of a benchmark's output.
//
//   fmt::print("{} ({})\n", grappa::version(), grappa::build_description());
//
// Both functions return text with static storage, and may be called from any thread or task.

#include <string_view>

namespace grappa {

/// The version of the library, such as "0.1.0".
std::string_view version() noexcept;

/// Build type, compiler and sanitizer, such as "Release, GCC 12.2.0".
std::string_view build_description() noexcept;

}  // namespace grappa
