#include "grappa/query/datalog/lexer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "grappa/query/sql/syntax_error.hpp"

namespace grappa::query::datalog {
namespace {

using sql::is_digit;

bool begins_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '?';
}
bool continues_word(char c) { return begins_word(c) || is_digit(c); }

// Of two characters; then of one.
constexpr std::array<std::string_view, 7> kPairs = {":-", "<=", ">=", "!=", "<:", "**", "->"};
constexpr std::string_view kSingles = "()[]{},;:.!<>=+-*/%^|$@";

// A dot in front of any other word ends a rule.
constexpr std::array<std::string_view, 17> kDirectives = {
    "decl",        "type",        "input",    "output",  "printsize", "limitsize",
    "comp",        "init",        "functor",  "plan",    "pragma",    "once",
    "number_type", "symbol_type", "override", "include", "lattice"};

class Lexer : sql::Scanner {
 public:
  explicit Lexer(std::string_view text) : Scanner(text, "program") {}

  std::vector<Token> run() {
    return tokens<TokenKind>([this] { skip_space(); }, [this] { return take(); });
  }

 private:
  void skip_space() {
    if (at_ == 0 && rest().starts_with("\xEF\xBB\xBF")) at_ = 3;
    for (;;) {
      if (at_ < text_.size() &&
          std::string_view(" \t\n\r\f\v").find(peek()) != std::string_view::npos) {
        ++at_;
      } else if (rest().starts_with("//")) {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (rest().starts_with("/*")) {
        const std::size_t end = text_.find("*/", at_ + 2);
        if (end == std::string_view::npos) fail(at_, "the comment is not closed; */ does that");
        at_ = end + 2;
      } else {
        return;
      }
    }
  }

  TokenKind take() {
    const char c = peek();
    if (at_ == text_.size()) return TokenKind::kEnd;
    if (begins_word(c)) {
      at_ += word_length(at_);
      return TokenKind::kWord;
    }
    if (is_digit(c)) return take_number();
    if (c == '"') return take_string();
    if (c == '#') {
      const std::size_t length = word_length(at_ + 1);
      fail(at_, fmt::format("#{} is not supported: there is no preprocessor",
                            text_.substr(at_ + 1, length)));
    }
    if (c == '.') {
      const std::size_t length = word_length(at_ + 1);
      if (std::ranges::find(kDirectives, text_.substr(at_ + 1, length)) != kDirectives.end()) {
        at_ += 1 + length;
        return TokenKind::kDirective;
      }
    }
    for (const std::string_view pair : kPairs) {
      if (!rest().starts_with(pair)) continue;
      at_ += pair.size();
      return TokenKind::kSymbol;
    }
    if (kSingles.find(c) == std::string_view::npos) {
      const auto code = static_cast<unsigned char>(c);
      fail(at_, fmt::format("the character {} means nothing here",
                            code < 0x20 || code >= 0x7F ? fmt::format("0x{:02X}", code)
                                                        : std::string(1, c)));
    }
    ++at_;
    return TokenKind::kSymbol;
  }

  std::size_t word_length(std::size_t begin) const {
    std::size_t end = begin;
    while (end < text_.size() && continues_word(text_[end])) ++end;
    return end - begin;
  }

  void skip_digits() {
    while (is_digit(peek())) ++at_;
  }

  TokenKind take_number() {
    const std::size_t begin = at_;
    TokenKind kind = TokenKind::kInteger;
    if (peek() == '0' && (peek(1) == 'x' || peek(1) == 'b')) {
      const bool is_hexadecimal = peek(1) == 'x';
      at_ += 2;
      const std::size_t first = at_;
      const std::string_view digits = is_hexadecimal ? "0123456789abcdefABCDEF" : "01";
      while (at_ < text_.size() && digits.find(peek()) != std::string_view::npos) ++at_;
      if (at_ == first) fail(begin, "expected digits behind the prefix");
    } else {
      skip_digits();
      if (peek() == '.' && is_digit(peek(1))) {
        kind = TokenKind::kFloat;
        ++at_;
        skip_digits();
        const bool is_signed = peek(1) == '+' || peek(1) == '-';
        if ((peek() == 'e' || peek() == 'E') && is_digit(peek(is_signed ? 2 : 1))) {
          at_ += is_signed ? 2 : 1;
          skip_digits();
        }
      }
    }
    if (kind == TokenKind::kInteger && peek() == 'u') ++at_;
    if (continues_word(peek())) fail(begin, "a number runs into letters");
    return kind;
  }

  TokenKind take_string() {
    const std::size_t begin = at_++;
    for (; at_ < text_.size() && peek() != '\n'; ++at_) {
      if (peek() == '"') {
        ++at_;
        return TokenKind::kString;
      }
      if (peek() == '\\' && peek(1) != '\n') ++at_;
    }
    fail(begin, "the string is not closed in its line");
  }
};

}  // namespace

std::vector<Token> tokenize(std::string_view text) { return Lexer(text).run(); }

std::string unquoted(std::string_view text, const Token& token) {
  constexpr std::string_view kEscapes = "\"\\'?abfnrtv";
  constexpr std::string_view kMeant = "\"\\'?\a\b\f\n\r\t\v";
  const std::string_view inner = written(text, token).substr(1, token.length - 2);
  std::string value;
  for (std::size_t i = 0; i < inner.size(); ++i) {
    if (inner[i] != '\\') {
      value += inner[i];
      continue;
    }
    const std::size_t place = kEscapes.find(inner[++i]);
    if (place == std::string_view::npos)
      throw sql::SyntaxError(text, {static_cast<std::uint32_t>(token.offset + i)},
                             "there is no such escape");
    value += kMeant[place];
  }
  return value;
}

}  // namespace grappa::query::datalog
