#pragma once

// Text that a terminal shows and does not obey.
//
//   printable("a\033[2Jb\n");       // "a\x1b[2Jb\x0a"
//   printable_lines("a\033[2J\nb");  // "a\x1b[2J\nb": line breaks stay, 4 KiB at most
//
// Names of files, what stands in them and the texts of exceptions may hold escape sequences. Thread
// safety: pure.

#include <string>
#include <string_view>

namespace grappa::internal {

/// With control characters, those of UTF-8's second half included, as \xNN; tabs stay.
std::string printable(std::string_view text);

/// The same where line breaks stay, and at most 4 KiB of the text, with "…" in place of the rest.
std::string printable_lines(std::string_view text);

}  // namespace grappa::internal
