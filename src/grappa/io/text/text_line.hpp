#pragma once

// Lines of text, examined slowly and carefully: for headers and error messages.
//
//   for (std::string_view word : split_words("7 11 10")) {
//     if (!integer_of(word)) reader.fail(3, "expected an integer, found " + quoted(word));
//   }

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace grappa::io {

/// From `position` to the end of its line, without the line feed (or carriage return and line
/// feed).
std::string_view line_from(const char* position, const char* text_end);

/// Without the blanks and tabs at its ends.
std::string_view trimmed(std::string_view text);

/// With small letters, of ASCII.
std::string lower(std::string_view text);

/// The words between blanks and tabs.
std::vector<std::string_view> split_words(std::string_view line);

/// Whether a carriage return stands within the line: where these alone end lines, all lines would
/// be one.
bool has_lone_return(std::string_view line);
inline constexpr std::string_view kLoneReturn =
    "a carriage return within the line; lines must end with a line feed";

/// `text` in quotes, shortened, with what cannot be printed as \xNN.
std::string quoted(std::string_view text);

/// "1 column", "2 columns".
std::string counted(std::int64_t n, std::string_view noun);

/// The value of a word that is nothing but a number below 2^63.
std::optional<std::uint64_t> integer_of(std::string_view word);

/// Whether it looks like a number, well-formed or not: such a word is never a name.
bool looks_numeric(std::string_view word);

/// Why `word` is not a vertex id: "expected a vertex id, found 'x'", "vertex id -3 is negative",
/// ... Empty if it is one.
std::string refuse_id(std::string_view word);

/// Why `word` is not a weight of at least `least`; empty if it is one.
std::string refuse_weight(std::string_view word, double least);

/// The same, where the weight must be a whole number, too.
std::string refuse_whole_weight(std::string_view word, double least);

/// Whether `text` holds bytes that text does not: NUL and other control characters.
bool has_control_characters(std::string_view text);

bool is_valid_utf8(std::string_view text);

}  // namespace grappa::io
