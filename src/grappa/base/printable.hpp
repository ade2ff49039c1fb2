#pragma once

// Text that a terminal shows and does not obey.
//
//   printable("a\033[2Jb\n");       // "a\x1b[2Jb\x0a"
//
// Names of files and what stands in them may hold escape sequences. Thread safety: pure.

#include <string>
#include <string_view>

namespace grappa::internal {

/// With control characters, those of UTF-8's second half included, as \xNN; tabs stay.
std::string printable(std::string_view text);

}  // namespace grappa::internal
