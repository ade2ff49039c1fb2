#pragma once

// Large and small letters of all scripts, as the C library knows them.
//
//   std::string small;
//   append_lowered("Äpfel", small);       // "äpfel"
//   append_capitalized("o'NEIL", small);  // "O'Neil"
//
// Letters change one by one (towlower, towupper), so "ß" has no large one. Bytes that are no UTF-8
// stay as they are. Error where the C library has no locale C.UTF-8.
//
// Thread and task safety: pure functions.

#include <string>
#include <string_view>

namespace grappa::internal {

void append_lowered(std::string_view text, std::string& out);
void append_raised(std::string_view text, std::string& out);
/// The first letter of each word is large, all others small; words are runs of letters and digits.
void append_capitalized(std::string_view text, std::string& out);

}  // namespace grappa::internal
