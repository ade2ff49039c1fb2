#include "grappa/query/sql/lexer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "grappa/base/utf8.hpp"
#include "grappa/query/sql/syntax_error.hpp"

namespace grappa::query::sql {
namespace {

bool begins_name(char c) {
  return (folded(c) >= 'a' && folded(c) <= 'z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

bool continues_name(char c) { return begins_name(c) || is_digit(c) || c == '$'; }

/// The bytes of the space that `text` begins with, or 0. Queries are pasted from documents, which
/// have other spaces than keyboards.
std::size_t space_bytes(std::string_view text) {
  constexpr std::string_view kSpaces = " \t\n\r\f\v";
  if (text.empty()) return 0;
  if (static_cast<unsigned char>(text[0]) < 0x80) return kSpaces.find(text[0]) < kSpaces.size();
  const auto [code, bytes] = internal::decode_utf8(text);
  const bool is_space = code == 0xA0 || code == 0x1680 || (code >= 0x2000 && code <= 0x200B) ||
                        code == 0x202F || code == 0x205F || code == 0x3000 || code == 0xFEFF;
  return is_space ? bytes : 0;
}

// Of several bytes; longer ones first. Some are none of ours: those are refused as a whole.
constexpr std::array<std::string_view, 22> kSymbols = {
    "!~*", "->>", "::", ":=", "=>", "==", "<>", "!=", "<=", ">=", "||",
    "~*",  "!~",  "->", "//", "**", "<<", ">>", "&&", "@>", "<@", "~~"};
constexpr std::string_view kSingleSymbols = "+-*/%^=<>~.,;()[]{}:?$&|#@!";

class Lexer : Scanner {
 public:
  explicit Lexer(std::string_view text) : Scanner(text, "query") {}

  std::vector<Token> run() {
    return tokens<TokenKind>([this] { skip_space(); }, [this] { return take_token(); });
  }

 private:
  [[noreturn]] void fail_unclosed(std::size_t offset, std::string_view message) const {
    throw UnclosedError(text_, {static_cast<std::uint32_t>(offset)}, message);
  }

  void skip_space() {
    for (;;) {
      if (const std::size_t bytes = space_bytes(rest()); bytes > 0) {
        at_ += bytes;
      } else if (rest().starts_with("--")) {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (rest().starts_with("/*")) {
        skip_comment();
      } else {
        return;
      }
    }
  }

  void skip_comment() {
    const std::size_t begin = at_;
    at_ += 2;
    for (std::size_t open = 1; open > 0;) {
      at_ = std::min(text_.find_first_of("/*", at_), text_.size());
      if (at_ == text_.size()) fail_unclosed(begin, "the comment is not closed; */ does that");
      const std::string_view two = text_.substr(at_, 2);
      if (two == "/*") ++open;
      if (two == "*/") --open;
      at_ += two == "/*" || two == "*/" ? 2 : 1;
    }
  }

  TokenKind take_token() {
    const char c = peek();
    if (at_ == text_.size()) return TokenKind::kEnd;
    if (is_digit(c) || (c == '.' && is_digit(peek(1)))) return take_number();
    if (c == '\'') return take_quoted(at_, "string");
    if (c == '"') return take_quoted(at_, "name");
    if (begins_name(c)) return take_word();
    if (c == '$' && !is_digit(peek(1)) && take_dollar_string()) return TokenKind::kString;
    for (const std::string_view symbol : kSymbols) {
      if (!rest().starts_with(symbol)) continue;
      at_ += symbol.size();
      return TokenKind::kSymbol;
    }
    if (kSingleSymbols.find(c) == std::string_view::npos) {
      fail(at_,
           fmt::format("the character {} is none of SQL's",
                       c < 0x20 || c == 0x7F ? fmt::format("0x{:02X}", c) : std::string(1, c)));
    }
    ++at_;
    return TokenKind::kSymbol;
  }

  TokenKind take_number() {
    const std::size_t begin = at_;
    TokenKind kind = TokenKind::kInteger;
    const auto take_digits = [&] {
      while (is_digit(peek())) ++at_;
    };
    take_digits();
    if (peek() == '.') {
      kind = TokenKind::kDecimal;
      ++at_;
      take_digits();
    }
    if (const char sign = peek(1);
        folded(peek()) == 'e' &&
        (is_digit(sign) || ((sign == '+' || sign == '-') && is_digit(peek(2))))) {
      kind = TokenKind::kDouble;
      at_ += 2;
      take_digits();
    }
    if (continues_name(peek()) && space_bytes(rest()) == 0) {
      while (continues_name(peek()) && space_bytes(rest()) == 0) ++at_;
      fail(begin, fmt::format("expected a number, found {}", text_.substr(begin, at_ - begin)));
    }
    return kind;
  }

  TokenKind take_word() {
    const std::size_t begin = at_;
    while (continues_name(peek()) && space_bytes(rest()) == 0) {
      at_ += internal::decode_utf8(rest()).bytes;
    }
    if (peek() != '\'' || at_ - begin > 1) return TokenKind::kWord;
    switch (folded(text_[begin])) {
      case 'e':
        return take_quoted(begin, "string", /*has_escapes=*/true);
      case 'b':
      case 'x':
        fail(begin, "bit strings (B'…', X'…') are not supported");
      case 'n':
        fail(begin, "national strings (N'…') are not supported; all strings are Unicode");
      default:
        return TokenKind::kWord;
    }
  }

  /// Of a token that begins there; the quote is here.
  TokenKind take_quoted(std::size_t begin, std::string_view what, bool has_escapes = false) {
    const char quote = text_[at_++];
    for (;; ++at_) {
      if (at_ >= text_.size()) {
        fail_unclosed(begin, fmt::format("the {} is not closed; {} does that", what, quote));
      }
      const bool is_escape = has_escapes && peek() == '\\';
      if (is_escape || (peek() == quote && peek(1) == quote)) {
        ++at_;
      } else if (peek() == quote) {
        break;
      }
    }
    ++at_;
    if (quote == '"' && at_ - begin == 2) fail(begin, "a name is empty");
    return quote == '"' ? TokenKind::kQuotedName : TokenKind::kString;
  }

  /// $tag$ … $tag$, where that is what begins here.
  bool take_dollar_string() {
    std::size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != '$' && continues_name(text_[end])) ++end;
    if (end == text_.size() || text_[end] != '$') return false;
    const std::string_view tag = text_.substr(at_, end + 1 - at_);
    const std::size_t close = text_.find(tag, end + 1);
    if (close == std::string_view::npos) {
      fail_unclosed(at_, fmt::format("the string is not closed; {} does that", tag));
    }
    at_ = close + tag.size();
    return true;
  }
};

/// The escapes of E'…'.
class Unescaper {
 public:
  Unescaper(std::string_view text, std::size_t begin, std::size_t end)
      : text_(text), at_(begin), end_(end) {}

  std::string run() {
    std::string result;
    while (at_ < end_) {
      const char c = text_[at_++];
      if (c == '\'') ++at_;  // the first of two
      if (c == '\\') {
        append_escape(result);
      } else {
        result += c;
      }
    }
    return result;
  }

 private:
  void append_escape(std::string& result) {
    constexpr std::string_view kLetters = "bfnrt";
    constexpr std::string_view kMeanings = "\b\f\n\r\t";
    const std::size_t begin = at_ - 1;
    const char c = text_[at_++];
    if (const std::size_t letter = kLetters.find(c); letter < kLetters.size()) {
      result += kMeanings[letter];
    } else if (c == 'u' || c == 'U') {
      append_character(begin, take_digits(c == 'u' ? 4 : 8, 16), result, c == 'u' ? 6 : 10);
    } else if (c == 'x') {
      append_byte(begin, take_digits(2, 16), result);
    } else if (c >= '0' && c <= '7') {
      --at_;
      append_byte(begin, take_digits(3, 8), result);
    } else {
      result += c;  // and the rest of its bytes
    }
  }

  struct Digits {
    std::uint32_t value = 0;
    std::size_t count = 0;
  };

  Digits take_digits(std::size_t most, std::uint32_t base) {
    Digits digits;
    for (; digits.count < most && at_ < end_; ++digits.count, ++at_) {
      const char c = folded(text_[at_]);
      const std::uint32_t digit = is_digit(c)            ? std::uint32_t(c - '0')
                                  : c >= 'a' && c <= 'f' ? std::uint32_t(c - 'a' + 10)
                                                         : base;
      if (digit >= base) break;
      digits.value = digits.value * base + digit;
    }
    return digits;
  }

  void append_byte(std::size_t begin, Digits digits, std::string& result) {
    // Bytes from 0x80 on are parts of characters, and the string is to remain UTF-8.
    if (digits.count == 0 || digits.value >= 0x80) {
      fail(begin, "expected \\x and one or two digits of an ASCII character; others are \\u00E9");
    }
    result += static_cast<char>(digits.value);
  }

  void append_character(std::size_t begin, Digits digits, std::string& result, std::size_t length) {
    const bool surrogate = digits.value >= 0xD800 && digits.value < 0xE000;
    if (at_ - begin < length || digits.value > 0x10FFFF || surrogate) {
      fail(begin, "expected \\u and four hexadecimal digits of a character, or \\U and eight");
    }
    internal::append_utf8(digits.value, result);
  }

  [[noreturn]] void fail(std::size_t offset, std::string_view message) const {
    throw SyntaxError(text_, {static_cast<std::uint32_t>(offset)}, message);
  }

  std::string_view text_;
  std::size_t at_;
  std::size_t end_;
};

}  // namespace

std::vector<Token> tokenize(std::string_view text) { return Lexer(text).run(); }

std::string unquoted(std::string_view text, const Token& token) {
  const std::string_view whole = written(text, token);
  if (folded(whole[0]) == 'e') {
    return Unescaper(text, token.offset + 2, token.offset + token.length - 1).run();
  }
  if (whole[0] == '$') {
    const std::size_t tag = whole.find('$', 1) + 1;
    return std::string(whole.substr(tag, whole.size() - 2 * tag));
  }
  std::string result;
  for (std::size_t i = 1; i + 1 < whole.size(); ++i) {
    result += whole[i];
    if (whole[i] == whole[0]) ++i;  // the second of two
  }
  return result;
}

bool is_plain_name(std::string_view text) {
  if (text.empty() || !begins_name(text[0])) return false;
  for (std::size_t at = 0; at < text.size(); at += internal::decode_utf8(text.substr(at)).bytes) {
    if (!continues_name(text[at]) || space_bytes(text.substr(at)) > 0) return false;
  }
  return true;
}

}  // namespace grappa::query::sql
