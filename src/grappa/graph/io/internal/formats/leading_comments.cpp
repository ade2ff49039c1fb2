#include "grappa/graph/io/internal/formats/leading_comments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <vector>

#include "grappa/io/text/text_line.hpp"

namespace grappa::graph::io {
namespace {

// "# Undirected graph", "#undirected", ...
bool says_undirected(std::string_view comment) {
  const std::size_t word = comment.find_first_not_of("#% \t");
  constexpr std::string_view kUndirected = "undirected";
  if (word == std::string_view::npos) return false;
  const std::string_view text = comment.substr(word, kUndirected.size());
  return text.size() == kUndirected.size() &&
         std::equal(text.begin(), text.end(), kUndirected.begin(), [](char a, char b) {
           return std::tolower(static_cast<unsigned char>(a)) == b;
         });
}

// Whether a text begins with "p sp 4 3", perhaps behind lines "c comment".
bool is_dimacs(std::string_view text) {
  while (!text.empty()) {
    const std::string_view line = line_from(text.data(), text.data() + text.size());
    const std::vector<std::string_view> words = split_words(line);
    if (!words.empty() && words.front() != "c") {
      return words.size() == 4 && words[0] == "p" && !integer_of(words[1]) &&
             integer_of(words[2]) && integer_of(words[3]);
    }
    text.remove_prefix(std::min(text.size(), text.find('\n', line.size())));
    text.remove_prefix(std::min<std::size_t>(text.size(), 1));
  }
  return false;
}

}  // namespace

LeadingComments skip_leading_comments(LineReader& reader, const FieldRules& rules) {
  if (const std::string_view text = reader.peek(); is_dimacs(text))
    reader.fail_at(text.data(), "this is a DIMACS file; give --format gr");
  LeadingComments comments;
  std::string_view line;
  while (!reader.peek().empty()) {
    const std::string_view text = reader.peek();
    const std::string_view ahead = line_from(text.data(), text.data() + text.size());
    if (ahead.starts_with("%%MatrixMarket")) {
      reader.fail_at(text.data(), "this is a Matrix Market file; give --format mtx");
    }
    if (has_lone_return(ahead)) reader.fail_at(text.data(), kLoneReturn);
    if (has_control_characters(ahead.substr(0, 4096))) {
      reader.fail_at(text.data(), fmt::format("binary data, not text: {}", quoted(ahead)));
    }
    if (!is_blank_or_comment(ahead, rules)) return comments;
    comments.undirected = comments.undirected || says_undirected(ahead);
    reader.next_line(line);
  }
  reader.fail(reader.last_line(), "the file ends without any edge");
}

void skip_header(LineReader& reader, EdgeList& list) {
  std::string_view line;
  reader.next_line(line);
  add_note(list, fmt::format("line {} is taken as the names of the columns: {}", reader.last_line(),
                             quoted(line)));
}

}  // namespace grappa::graph::io
