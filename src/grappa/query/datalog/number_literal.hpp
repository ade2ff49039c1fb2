#pragma once

// Numbers as programs and facts write them.
//
//   parse_literal("0x1F", Kind::kUnsigned);   // 31
//   parse_literal("-17", Kind::kNumber);      // as 64 bits
//
// Thread and task safety: pure functions.

#include <optional>
#include <string>
#include <string_view>

#include "grappa/query/datalog/program.hpp"

namespace grappa::query::datalog {

/// The word of the number; nothing where the text is none of this kind, or does not fit.
std::optional<Word> parse_literal(std::string_view text, Kind kind);

/// A number as output has it; a float with as many digits as read back the same.
void append_number(std::string& to, Word value, Kind kind);

}  // namespace grappa::query::datalog
