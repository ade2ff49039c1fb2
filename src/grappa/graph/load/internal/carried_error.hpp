#pragma once

// An error that is sent to another locale and thrown there as what it was.
//
//   try {
//     …
//   } catch (...) {
//     exchange.send(0, to_bytes(CarriedError(std::current_exception())));
//   }
//   from_bytes<CarriedError>(exchange.take<std::byte>(2)).rethrow();  // at 0, if it was locale 2
//
// InputError and UsageError stay what they are, with file and line; everything else becomes an
// Error that says at which locale it happened.

#include <cstdint>
#include <exception>
#include <string>
#include <tuple>
#include <type_traits>
#include <variant>

namespace grappa::graph {

class CarriedError {
 public:
  CarriedError() = default;
  /// Of an exception of this locale; it must not be null.
  explicit CarriedError(const std::exception_ptr& error);

  /// The line of an InputError, or 0.
  std::int64_t line() const { return line_; }
  [[noreturn]] void rethrow() const;

 private:
  enum class Kind : std::uint8_t { kInput, kUsage, kOther };

  Kind kind_ = Kind::kOther;
  std::string file_;  // kInput
  std::int64_t line_ = 0;
  std::int64_t column_ = 0;
  std::string message_;

 public:
  static constexpr auto kMembers =
      std::tuple(&CarriedError::kind_, &CarriedError::file_, &CarriedError::line_,
                 &CarriedError::column_, &CarriedError::message_);
};

/// What f() returns, where there is anything.
template <class F>
using Answer = std::conditional_t<std::is_void_v<std::invoke_result_t<F&>>, std::monostate,
                                  std::invoke_result_t<F&>>;

/// An answer, or why there is none.
template <class T>
using Outcome = std::variant<T, CarriedError>;

/// Of calling f().
template <class F>
Outcome<Answer<F>> outcome_of(F&& f) {
  try {
    if constexpr (std::is_void_v<std::invoke_result_t<F&>>) {
      f();
      return std::monostate();
    } else {
      return f();
    }
  } catch (...) {
    return CarriedError(std::current_exception());
  }
}

}  // namespace grappa::graph
