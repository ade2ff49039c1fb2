#pragma once

// Values as people write them: sizes, times, switches, counts; and names that are nearly right.
//
//   parse_size("64KiB");             // 65536
//   parse_duration_ns("1.5ms");      // 1500000
//   parse_switch("on");              // true
//   format_bytes(65536);             // "64 KiB"
//   nearest_name("coers", names);    // "cores"
//   nearest_hint("coers", names);    // "; the nearest is cores"
//
// A parser returns nothing when the text as a whole is not such a value or does not fit; the caller
// says what is allowed. Units: B KiB MiB GiB TiB (none: bytes) and ns us ms s (required unless the
// number is 0), in upper or lower case, with or without a space before them.
// Thread and task safety: pure functions.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace grappa::internal {

std::optional<std::uint64_t> parse_size(std::string_view text);
std::optional<std::uint64_t> parse_duration_ns(std::string_view text);
std::optional<bool> parse_switch(std::string_view text);  // on off true false yes no 1 0
std::optional<std::int64_t> parse_integer(std::string_view text);
std::optional<double> parse_number(std::string_view text);  // finite

/// "64 KiB", "1.5 GiB", "17 B": at most one decimal.
std::string format_bytes(std::uint64_t bytes);

/// How many insertions, deletions, replacements and swaps of neighbors make the one of the other
/// (the optimal string alignment distance).
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The name that takes the fewest of those edits to reach; the first of several. `names` is not
/// empty.
std::string_view nearest_name(std::string_view text, std::span<const std::string_view> names);

/// "; the nearest is --cores", with `before` in front of the name, for the refusal of `text`. That
/// is the name that it begins, where all others that it begins are longer forms of that one; else
/// the nearest_name, if a third of the letters need those edits at most. Empty where there is none.
std::string nearest_hint(std::string_view text, std::span<const std::string_view> names,
                         std::string_view before = {});

/// Whether `text` is perhaps `name` misspelled: fewer of those edits lead to it than a third of the
/// letters.
bool is_near(std::string_view text, std::string_view name);

}  // namespace grappa::internal
