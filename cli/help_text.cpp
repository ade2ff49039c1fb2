#include "cli/help_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace grappa::cli {
namespace {

constexpr std::size_t kTextColumn = 32;

std::string option_lines(const OptionHelp& option) {
  std::string line = "  " + option.names;
  if (line.size() + 2 > kTextColumn) {
    line += '\n';
    line.append(kTextColumn, ' ');
  } else {
    line.resize(kTextColumn, ' ');
  }
  return line + wrap_text(option.description, kTextColumn) + '\n';
}

}  // namespace

std::string wrap_text(std::string_view text, std::size_t indent) {
  std::string result;
  std::size_t column = indent;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find_first_of(" \n", at), text.size());
    const std::string_view word = text.substr(at, end - at);
    if (column > indent && column + 1 + word.size() > kHelpColumns) {
      result += '\n';
      result.append(indent, ' ');
      column = indent;
    }
    if (column > indent) {
      result += ' ';
      ++column;
    }
    result += word;
    column += word.size();
    if (end < text.size() && text[end] == '\n') {
      result += '\n';
      if (end + 1 < text.size() && text[end + 1] != '\n') result.append(indent, ' ');
      column = indent;
    }
    at = end + 1;
  }
  return result;
}

std::string help_text(std::string_view usage, std::string_view description,
                      const std::vector<OptionHelp>& options) {
  std::string text = fmt::format("Usage: {}\n\n{}\n", usage, wrap_text(description, 0));
  std::vector<std::string> groups;
  for (const OptionHelp& option : options) {
    if (!option.group.empty() &&
        std::find(groups.begin(), groups.end(), option.group) == groups.end())
      groups.push_back(option.group);
  }
  // The help flag is the first to be added, and the least interesting.
  if (groups.size() > 1) std::rotate(groups.begin(), groups.begin() + 1, groups.end());
  for (const std::string& group : groups) {
    text += fmt::format("\n{}:\n", group);
    for (const OptionHelp& option : options) {
      if (option.group == group) text += option_lines(option);
    }
  }
  return text;
}

}  // namespace grappa::cli
