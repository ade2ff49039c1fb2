#include <algorithm>
#include <cctype>
#include <cstddef>

#include "grappa/io/text/text_line.hpp"
#include "grappa/query/io/line_fields.hpp"

namespace grappa::query {
namespace {

/// How long the term is that the text begins with; 0: it is none.
std::size_t iri_length(std::string_view text) {
  if (!text.starts_with('<')) return 0;
  const std::size_t end = text.find_first_of("> \t\"{}|^`<", 1);
  return end != std::string_view::npos && text[end] == '>' ? end + 1 : 0;
}
std::size_t blank_node_length(std::string_view text) {
  if (!text.starts_with("_:")) return 0;
  std::size_t end = std::min(text.find_first_of(" \t<\""), text.size());
  // A point belongs to it only in its middle.
  while (end > 2 && text[end - 1] == '.') --end;
  return end > 2 ? end : 0;
}
std::size_t literal_length(std::string_view text) {
  if (!text.starts_with('"')) return 0;
  std::size_t end = 1;
  while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
  if (end >= text.size()) return 0;
  const std::string_view behind = text.substr(++end);
  if (behind.starts_with("^^")) {
    const std::size_t type = iri_length(behind.substr(2));
    return type == 0 ? 0 : end + 2 + type;
  }
  if (!behind.starts_with('@')) return end;
  std::size_t language = 1;
  while (
      language < behind.size() &&
      (std::isalnum(static_cast<unsigned char>(behind[language])) != 0 || behind[language] == '-'))
    ++language;
  return language == 1 ? 0 : end + language;
}

class TripleFields final : public LineFields {
 public:
  Outcome cut(std::string_view line, const Take& take) override {
    std::string_view rest = io::trimmed(line);
    if (rest.empty() || rest.starts_with('#')) return kBlank;
    const auto take_term = [&](std::string_view key, std::size_t length) {
      if (length == 0) return false;
      take(key, {.begin = rest.data(),
                 .size = static_cast<std::uint32_t>(length),
                 .is_quoted = true,
                 .has_escapes = false});
      rest = io::trimmed(rest.substr(length));
      return true;
    };
    if (!take_term("subject", iri_length(rest) + blank_node_length(rest)))
      return fail("a subject was expected: <IRI> or _:node");
    if (!take_term("predicate", iri_length(rest))) return fail("a predicate was expected: <IRI>");
    if (!take_term("object", iri_length(rest) + blank_node_length(rest) + literal_length(rest)))
      return fail("an object was expected: <IRI>, _:node or a literal in quotes");
    if (!rest.starts_with('.')) return fail("a point was expected behind the object");
    rest = io::trimmed(rest.substr(1));
    return rest.empty() || rest.starts_with('#') ? kRow
                                                 : fail("a point ends a triple and its line");
  }
};

}  // namespace

std::unique_ptr<LineFields> triple_fields() { return std::make_unique<TripleFields>(); }

std::unique_ptr<LineFields> line_fields(LineKind kind) {
  switch (kind) {
    case LineKind::kCsv:
      return nullptr;
    case LineKind::kJson:
      return json_fields();
    case LineKind::kTriples:
      return triple_fields();
  }
  __builtin_unreachable();
}

}  // namespace grappa::query
