#pragma once

// What the lexers of SQL and Datalog share: a text that is taken apart from its beginning.
//
//   class Lexer : Scanner {
//     void skip_space();
//     TokenKind take();      // the next token, behind which at_ is then
//   };

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace grappa::query::sql {

/// One of the kinds is kEnd: the end of the text, which is empty.
template <class Kind>
struct TokenOf {
  Kind kind = Kind::kEnd;
  std::uint32_t offset = 0;  // in the text, in bytes
  std::uint32_t length = 0;
};

template <class Kind>
std::string_view written(std::string_view text, const TokenOf<Kind>& token) {
  return text.substr(token.offset, token.length);
}

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

class Scanner {
 public:
  /// `what` the text is. SyntaxError for bytes that are no UTF-8, UsageError for 4 GiB and more.
  Scanner(std::string_view text, std::string_view what);

 protected:
  /// What take() returns the kinds of, one after the other, up to the kEnd.
  template <class Kind, class SkipSpace, class Take>
  std::vector<TokenOf<Kind>> tokens(const SkipSpace& skip_space, const Take& take) {
    std::vector<TokenOf<Kind>> found;
    for (;;) {
      skip_space();
      const std::size_t begin = at_;
      const Kind kind = take();
      found.push_back(
          {kind, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(at_ - begin)});
      if (kind == Kind::kEnd) return found;
    }
  }

  [[noreturn]] void fail(std::size_t offset, std::string_view message) const;
  std::string_view rest() const { return text_.substr(at_); }
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace grappa::query::sql
