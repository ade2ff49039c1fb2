// The help of a command, from its description and its options.
//
//   std::string text = help_text("grappa cc GRAPH [options]", app);
//
// Options stand under the heading of their group, in the order in which they were added, with their
// default behind them. Lines have at most kHelpColumns columns.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

namespace grappa::cli {

inline constexpr std::size_t kHelpColumns = 100;

std::string help_text(std::string_view usage, const CLI::App& app);

// `text` in lines that begin with `indent` blanks (but for the first one) and end before the limit.
// Line breaks in the text stay.
std::string wrap_text(std::string_view text, std::size_t indent);

}  // namespace grappa::cli
