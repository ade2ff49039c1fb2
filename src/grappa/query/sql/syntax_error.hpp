#pragma once

// Errors in a query, with the place.
//
//   throw SyntaxError(text, {14}, "expected an expression, found FROM");
//   // 1:15: expected an expression, found FROM
//   // SELECT a, b + FROM t
//   //               ^
//
// For whoever finds fault with a query, the binder included. Thread and task safety: values.

#include <cstdint>
#include <string>
#include <string_view>

#include "grappa/base/error.hpp"
#include "grappa/query/sql/name.hpp"

namespace grappa::query::sql {

/// What is wrong with a query. what() reads "line:column: message", and below it that line of the
/// text with a caret; no line feed at the end. Of a long line, what is around the place. What a
/// terminal might obey is shown as "?".
class SyntaxError : public UsageError {
 public:
  SyntaxError(std::string_view text, Position position, std::string_view message);

  std::int64_t line() const noexcept { return line_; }      // from 1
  std::int64_t column() const noexcept { return column_; }  // from 1, in characters
  const std::string& message() const noexcept { return message_; }

 private:
  struct Place;
  SyntaxError(const Place& place, std::string_view message);

  std::int64_t line_;
  std::int64_t column_;
  std::string message_;
};

/// A quote or comment that is open where the text ends.
class UnclosedError : public SyntaxError {
 public:
  using SyntaxError::SyntaxError;
};

}  // namespace grappa::query::sql
