#pragma once

// How many places of a terminal a text takes.
//
//   display_width("日本") == 4;
//   cut_to_width("a long text", 5) == "a lo…";
//
// By the widths that Unicode gives to East Asian characters and emoji; combining ones take no
// place. Texts are UTF-8.

#include <cstddef>
#include <string>
#include <string_view>

namespace grappa::query {

std::size_t display_width(std::string_view text);

/// The text, or its beginning and an ellipsis, in `width` places at most.
std::string cut_to_width(std::string_view text, std::size_t width);

}  // namespace grappa::query
