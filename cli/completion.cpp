#include "cli/completion.hpp"

#include <algorithm>
#include <array>

#include "cli/standard_output.hpp"
#include "grappa/graph/io/format.hpp"

namespace grappa::cli {
namespace {

bool is_word(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
}

// The words of a list: of "a|N|b" a and b, since N only stands for a number.
std::string words_of(std::string_view list, char separator, bool all) {
  std::string words;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(separator), list.size());
    const std::string_view word = list.substr(0, end);
    if (all || is_word(word)) words.append(" ").append(word);
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return words;
}

std::string formats() {
  std::string words;
  for (const graph::FormatInfo& format : graph::format_names())
    words.append(" ").append(format.name);
  return words;
}

// What the scripts understand: NONE, COMMAND, GRAPH, SPEC, FILE, DIR, WORDS with the words, SWITCH
// with those that may follow, or VALUE for what cannot be listed.
std::string kind_of(std::string_view value) {
  constexpr std::array<std::string_view, 5> kKnown = {kCommandValue, "GRAPH", "SPEC", "FILE",
                                                      "DIR"};
  if (value.empty()) return "NONE";
  if (std::find(kKnown.begin(), kKnown.end(), value) != kKnown.end()) return std::string(value);
  if (value == "OUT") return "FILE";
  if (value == "FORMAT") return "WORDS" + formats();
  if (value == "on|off") return "SWITCH on off";
  if (const std::size_t open = value.find('{'); open != std::string_view::npos) {
    const std::size_t close = std::min(value.find('}', open), value.size());
    return "WORDS" + words_of(value.substr(open + 1, close - open - 1), ',', true);
  }
  const std::string words = words_of(value, '|', false);
  return words.empty() ? "VALUE" : "WORDS" + words;
}

// The help up to where it goes into details.
std::string_view beginning_of(std::string_view help) {
  for (const std::string_view end : {"; ", ": ", " (", ". ", "\n"}) {
    help = help.substr(0, help.find(end));
  }
  return help;
}

}  // namespace

void print_completion_lines(const std::vector<CompletionEntry>& entries) {
  StandardOutput& out = standard_output();
  out.write("      cat <<'END'\n");
  for (const CompletionEntry& entry : entries) {
    out.print("{}\t{}\t{}\n", entry.name, kind_of(entry.value), beginning_of(entry.help));
  }
  out.write("END\n");
}

void print_completion_table(std::string_view command, const std::vector<CompletionEntry>& entries,
                            bool has_runtime_options) {
  StandardOutput& out = standard_output();
  out.print("    '{}')\n", command);
  print_completion_lines(entries);
  out.print("{}      ;;\n", has_runtime_options ? "      _grappa_runtime_table\n" : "");
}

}  // namespace grappa::cli
