#pragma once

// The help of a command, from its description and its options.
//
//   std::string text = help_text("grappa cc GRAPH [options]", "What it does.",
//                                {{"Output", "-q, --quiet", "print only errors and warnings"}});
//
// Options are listed under the heading of their group, in the order in which they are given. Lines
// have at most kHelpColumns columns.

#include <string>
#include <string_view>
#include <vector>

namespace grappa::cli {

inline constexpr std::size_t kHelpColumns = 100;

struct OptionHelp {
  std::string group;        // the heading; where it is empty, the option is not shown
  std::string names;        // with the word for the value: "-n, --count N"
  std::string description;  // with the default
};

std::string help_text(std::string_view usage, std::string_view description,
                      const std::vector<OptionHelp>& options);

/// `text` in lines that begin with `indent` blanks (but for the first one) and end before the
/// limit. Line breaks in the text stay.
std::string wrap_text(std::string_view text, std::size_t indent);

}  // namespace grappa::cli
