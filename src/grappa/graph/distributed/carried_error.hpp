#pragma once

// An error that is sent to another locale and thrown there as what it was.
//
//   try {
//     …
//   } catch (...) {
//     exchange.send(0, CarriedError(std::current_exception()).bytes());
//   }
//   CarriedError(exchange.take<std::byte>(2)).rethrow();  // at locale 0, if it was locale 2
//
// InputError and UsageError stay what they are, with file and line; everything else becomes an
// Error that says at which locale it happened.

#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>
#include <string>
#include <vector>

namespace grappa::graph {

class CarriedError {
 public:
  /// Of an exception of this locale; it must not be null.
  explicit CarriedError(const std::exception_ptr& error);
  explicit CarriedError(std::span<const std::byte> bytes);

  /// The line of an InputError, or 0.
  std::int64_t line() const { return line_; }
  std::vector<std::byte> bytes() const;
  [[noreturn]] void rethrow() const;

 private:
  enum class Kind : std::uint8_t { kInput, kUsage, kOther };

  Kind kind_ = Kind::kOther;
  std::string file_;  // kInput
  std::int64_t line_ = 0;
  std::int64_t column_ = 0;
  std::string message_;
};

}  // namespace grappa::graph
