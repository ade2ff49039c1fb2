#pragma once

// Errors: what the library throws, and how a program ends when it cannot go on.
//
//   throw UsageError("cores: 8 asked, this machine offers 2");    // a wrong option, flag or call
//   throw InputError("web.txt", 17, "one column, two needed");    // "web.txt:17: one column, ..."
//   try {
//     delegate::call(3, [] { … });
//   } catch (const RemoteError& e) {
//     fmt::print("{}: {}\n", e.type_name(), e.message());
//   }
//
// Everything thrown by the library itself derives from Error. UsageError and InputError are for the
// caller to correct (a process that ends by them has status 2); the others are failed runs (1).
// A RemoteError stands for what a closure threw on another core: the original object does not
// travel, its type name and text do, on one locale just as on many.
//
// Thread and task safety: all functions may be called from any thread or task; none suspends.

#include <cstddef>
#include <cstdint>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>
#include <typeinfo>

namespace grappa {

/// Base of all errors of the library. The first one sees to it that those that nobody catches end
/// the process with one line (base/uncaught_errors.hpp).
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& text);
  explicit Error(const char* text);
};

/// An option, environment variable or call that is not allowed. The text says what is.
class UsageError : public Error {
 public:
  using Error::Error;
};

/// Bad content of a file. what() reads "file:line:column: message"; parts that are 0 are left out.
/// Lines and columns count from 1.
class InputError : public Error {
 public:
  InputError(std::string_view file, std::int64_t line, std::string_view message,
             std::int64_t column = 0);

  const std::string& file() const noexcept { return file_; }
  std::int64_t line() const noexcept { return line_; }
  std::int64_t column() const noexcept { return column_; }

 private:
  std::string file_;
  std::int64_t line_;
  std::int64_t column_;
};

/// What was computed was asked to end before it was done (parallel/cancellation.hpp).
class Cancelled : public Error {
 public:
  Cancelled() : Error("cancelled") {}
};

/// An exception that was thrown elsewhere: on another core, or in a task that was waited for.
/// `others` is the number of further errors that the same wait collected. The name of a type that
/// derives from UsageError or InputError says so: "X (a grappa::UsageError)".
/// what() reads "remote error: std::runtime_error: text (and 3 more)".
class RemoteError : public Error {
 public:
  RemoteError(std::string_view type_name, std::string_view message, std::uint64_t others = 0);

  const std::string& type_name() const noexcept { return type_name_; }
  const std::string& message() const noexcept { return message_; }
  std::uint64_t others() const noexcept { return others_; }

 private:
  std::string type_name_;
  std::string message_;
  std::uint64_t others_;
};

namespace internal {

/// The RemoteError that stands for `error` (which must not be null). A RemoteError keeps its type
/// name and message when it travels a second time: errors do not nest; the numbers of others add
/// up.
RemoteError to_remote_error(const std::exception_ptr& error, std::uint64_t others = 0);

/// "std::out_of_range: text"; exceptions that do not derive from std::exception have no text.
/// A null pointer is described as "no error".
std::string describe_exception(const std::exception_ptr& error);

/// The name of a type as a C++ programmer writes it.
std::string demangled_type_name(const std::type_info& type);

/// The status of a process that ends by `error`: 2 for what the caller is to correct, on whichever
/// core it was thrown, and 1 otherwise.
int exit_status_of(const std::exception_ptr& error) noexcept;

/// Ends the process at once with `status` after writing one line, "grappa: fatal: MESSAGE", to
/// standard error, and telling the other processes of its job, which end with the same message. No
/// destructors, no atexit handlers, no allocation: safe in a signal handler and on an exhausted
/// heap.
[[noreturn]] void fatal(std::string_view message, int status = 1) noexcept;

/// fatal() with the exception in flight, where nobody is left to catch it, and its status. `others`
/// is the number of further errors.
[[noreturn]] void fatal_exception(std::uint64_t others = 0) noexcept;

}  // namespace internal

}  // namespace grappa
