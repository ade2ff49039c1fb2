#include "grappa/query/sql/token_stream.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "grappa/base/printable.hpp"
#include "grappa/base/text_values.hpp"
#include "grappa/query/sql/keywords.hpp"
#include "grappa/query/sql/syntax_error.hpp"

namespace grappa::query::sql {
namespace {

/// "; the nearest is FROM" for FORM.
std::string hint(std::string_view word, std::span<const std::string_view> candidates) {
  if (candidates.empty()) return {};
  const std::string found = upper(word);
  const std::string_view nearest = internal::nearest_name(found, candidates);
  if (nearest == found || !internal::is_near(found, nearest)) return {};
  return fmt::format("; the nearest is {}", nearest);
}

}  // namespace

bool TokenStream::at(std::string_view keyword_or_symbol, std::size_t ahead) const {
  const Token& token = peek(ahead);
  return token.length == keyword_or_symbol.size() &&
         (token.kind == TokenKind::kWord || token.kind == TokenKind::kSymbol) &&
         equal_folded(sql::written(text_, token), keyword_or_symbol);
}

bool TokenStream::at_any(std::initializer_list<std::string_view> choice, std::size_t ahead) const {
  return std::any_of(choice.begin(), choice.end(),
                     [&](std::string_view one) { return at(one, ahead); });
}

bool TokenStream::at_name(std::size_t ahead) const {
  return at(TokenKind::kQuotedName, ahead) ||
         (at(TokenKind::kWord, ahead) && !is_reserved(written(ahead)));
}

bool TokenStream::accept(std::string_view keyword_or_symbol) {
  const bool is_there = at(keyword_or_symbol);
  if (is_there) skip();
  return is_there;
}

bool TokenStream::accept(std::initializer_list<std::string_view> sequence) {
  std::size_t ahead = 0;
  for (const std::string_view one : sequence) {
    if (!at(one, ahead++)) return false;
  }
  skip(sequence.size());
  return true;
}

void TokenStream::expect(std::string_view keyword_or_symbol) {
  if (!accept(keyword_or_symbol)) fail_expected(keyword_or_symbol, {&keyword_or_symbol, 1});
}

std::string TokenStream::take_unquoted() { return unquoted(text_, tokens_[next_++]); }

Name TokenStream::take_name() {
  const Position place = position();
  if (at(TokenKind::kQuotedName)) return {take_unquoted(), place};
  return {std::string(sql::written(text_, tokens_[next_++])), place};
}

Name TokenStream::expect_name(std::string_view what) {
  if (at_name()) return take_name();
  const bool is_word = at(TokenKind::kWord) && refusal_of(written()).empty();
  if (!is_word) fail_expected(fmt::format("the name of {}", what));
  fail(position(),
       fmt::format("expected the name of {}, found {}, which needs quotes as a name: \"{}\"", what,
                   found(), written()));
}

Name TokenStream::expect_label() {
  if (!at(TokenKind::kWord) && !at(TokenKind::kQuotedName)) fail_expected("a name");
  return take_name();
}

bool TokenStream::accept_bare_alias(Name& name) {
  if (!at_name() || (at(TokenKind::kWord) && needs_as(written(), written(1)))) return false;
  bare_alias_ = next_;
  name = take_name();
  return true;
}

std::string TokenStream::found() const {
  constexpr std::size_t kMost = 40;
  if (at(TokenKind::kEnd)) return "the end of the text";
  const std::string_view whole = written();
  if (whole.size() <= kMost) return internal::printable(whole);
  std::size_t end = kMost;
  while ((whole[end] & 0xC0) == 0x80) --end;  // no half of a character
  return internal::printable(whole.substr(0, end)) + "…";
}

void TokenStream::fail_expected(std::string_view what,
                                std::span<const std::string_view> candidates) const {
  const bool is_quoted = at(TokenKind::kString) || at(TokenKind::kQuotedName);
  const std::string_view refusal = is_quoted ? "" : refusal_of(written());
  if (!refusal.empty()) fail(position(), refusal);
  fail(position(), fmt::format("expected {}, found {}{}", what, found(),
                               at(TokenKind::kWord) ? hint(written(), candidates) : ""));
}

void TokenStream::fail_behind_alias(std::string_view what,
                                    std::span<const std::string_view> candidates) {
  if (bare_alias_ + 1 == next_) {
    const std::string_view alias = sql::written(text_, tokens_[bare_alias_]);
    if (!hint(alias, candidates).empty()) next_ = bare_alias_;
  }
  fail_expected(what, candidates);
}

void TokenStream::fail(Position position, std::string_view message) const {
  throw SyntaxError(text_, position, message);
}

}  // namespace grappa::query::sql
