#include "cli/help_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace grappa::cli {
namespace {

constexpr std::size_t kTextColumn = 32;

std::string names_of(const CLI::Option& option) {
  if (option.get_positional()) return option.get_name(true);
  std::string names;
  for (const std::string& name : option.get_snames()) names += fmt::format("-{}, ", name);
  for (const std::string& name : option.get_lnames()) names += fmt::format("--{}, ", name);
  names.resize(names.size() - 2);
  const std::string value = option.get_type_name();
  return value.empty() ? names : fmt::format("{} {}", names, value);
}

std::string describe(const CLI::Option& option) {
  const std::string standard = option.get_default_str();
  return standard.empty() ? option.get_description()
                          : fmt::format("{} [{}]", option.get_description(), standard);
}

std::string option_lines(const CLI::Option& option) {
  std::string line = fmt::format("  {}", names_of(option));
  if (line.size() + 2 > kTextColumn) {
    line += '\n';
    line.append(kTextColumn, ' ');
  } else {
    line.resize(kTextColumn, ' ');
  }
  return line + wrap_text(describe(option), kTextColumn) + '\n';
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

std::string help_text(std::string_view usage, const CLI::App& app) {
  std::string text = fmt::format("Usage: {}\n\n{}\n", usage, wrap_text(app.get_description(), 0));
  std::vector<std::string> groups;
  // The help flag is the first to be added, and the least interesting.
  const auto options = app.get_options();
  for (const CLI::Option* option : options) {
    const std::string& group = option->get_group();
    if (!group.empty() && std::find(groups.begin(), groups.end(), group) == groups.end())
      groups.push_back(group);
  }
  if (groups.size() > 1) std::rotate(groups.begin(), groups.begin() + 1, groups.end());
  for (const std::string& group : groups) {
    text += fmt::format("\n{}:\n", group);
    for (const CLI::Option* option : options) {
      if (option->get_group() == group) text += option_lines(*option);
    }
  }
  return text;
}

}  // namespace grappa::cli
