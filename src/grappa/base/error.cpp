#include "grappa/base/error.hpp"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <new>

#include "grappa/base/last_words.hpp"
#include "grappa/base/printable.hpp"
#include "grappa/base/uncaught_errors.hpp"

namespace grappa {
namespace {

std::string input_error_text(std::string_view file, std::int64_t line, std::string_view message,
                             std::int64_t column) {
  std::string text(file);
  if (line > 0) text += fmt::format(":{}", line);
  if (line > 0 && column > 0) text += fmt::format(":{}", column);
  return text.empty() ? std::string(message) : fmt::format("{}: {}", text, message);
}

std::string remote_error_text(std::string_view type_name, std::string_view message,
                              std::uint64_t others) {
  std::string text = fmt::format("remote error: {}", type_name);
  if (!message.empty()) text += fmt::format(": {}", message);
  if (others > 0) text += fmt::format(" (and {} more)", others);
  return text;
}

std::string current_exception_type_name() {
  const std::type_info* type = abi::__cxa_current_exception_type();
  return type != nullptr ? internal::demangled_type_name(*type) : "unknown exception";
}

constexpr std::array kToCorrect = {"grappa::UsageError", "grappa::InputError"};

// With the one of the two that it derives from, as its name alone does not say that.
std::string remote_type_name(const std::exception& error) {
  std::string name = internal::demangled_type_name(typeid(error));
  const std::array derives = {dynamic_cast<const UsageError*>(&error) != nullptr,
                              dynamic_cast<const InputError*>(&error) != nullptr};
  for (std::size_t i = 0; i < kToCorrect.size(); ++i)
    if (derives[i] && name != kToCorrect[i]) name += fmt::format(" (a {})", kToCorrect[i]);
  return name;
}

bool is_to_correct(const std::string& type_name) {
  return std::any_of(kToCorrect.begin(), kToCorrect.end(), [&](const std::string& base) {
    return type_name == base || type_name.ends_with("(a " + base + ")");
  });
}

// The type of an Error is known to its reader; "int" alone would say nothing.
std::string words_about(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const std::bad_alloc&) {
    return "out of memory";
  } catch (const Error&) {
    return internal::describe_exception(error);
  } catch (...) {
    return "an exception of type " + internal::describe_exception(error);
  }
}

}  // namespace

Error::Error(const std::string& text) : std::runtime_error(text) {
  internal::end_by_uncaught_errors();
}

Error::Error(const char* text) : std::runtime_error(text) { internal::end_by_uncaught_errors(); }

InputError::InputError(std::string_view file, std::int64_t line, std::string_view message,
                       std::int64_t column)
    : Error(input_error_text(file, line, message, column)),
      file_(file),
      line_(line),
      column_(column) {}

RemoteError::RemoteError(std::string_view type_name, std::string_view message, std::uint64_t others)
    : Error(remote_error_text(type_name, message, others)),
      type_name_(type_name),
      message_(message),
      others_(others) {}

namespace internal {

RemoteError to_remote_error(const std::exception_ptr& error, std::uint64_t others) {
  if (!error) throw UsageError("to_remote_error: there is no error to describe");
  try {
    std::rethrow_exception(error);
  } catch (const RemoteError& e) {
    return RemoteError(e.type_name(), e.message(), e.others() + others);
  } catch (const std::exception& e) {
    return RemoteError(remote_type_name(e), e.what(), others);
  } catch (...) {
    return RemoteError(current_exception_type_name(), {}, others);
  }
}

std::string describe_exception(const std::exception_ptr& error) {
  if (!error) return "no error";
  try {
    std::rethrow_exception(error);
  } catch (const RemoteError& e) {
    return e.what();
  } catch (const std::exception& e) {
    return fmt::format("{}: {}", demangled_type_name(typeid(e)), e.what());
  } catch (...) {
    return current_exception_type_name();
  }
}

std::string demangled_type_name(const std::type_info& type) {
  if (type == typeid(std::string)) return "std::string";
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(type.name(), nullptr, nullptr, &status), &std::free);
  return status == 0 && name ? name.get() : type.name();
}

int exit_status_of(const std::exception_ptr& error) noexcept {
  constexpr int kFailedStatus = 1;
  constexpr int kToCorrectStatus = 2;
  try {
    std::rethrow_exception(error);
  } catch (const UsageError&) {
    return kToCorrectStatus;
  } catch (const InputError&) {
    return kToCorrectStatus;
  } catch (const RemoteError& e) {
    return is_to_correct(e.type_name()) ? kToCorrectStatus : kFailedStatus;
  } catch (...) {
    return kFailedStatus;
  }
}

void fatal(std::string_view message, int status) noexcept {
  // One line says why, also where all cores make the same mistake at once.
  static constinit std::atomic<bool> is_said{false};
  if (is_said.exchange(true)) leave_end_to_others(status);
  // The others of a job first: if this is so because one of them is lost, the process ends here
  // with the line that says so.
  tell_last_words(message, status);
  write_last_line({"grappa: fatal: ", message});
  exit_at_once(status);
}

void fatal_exception(std::uint64_t others) noexcept {
  const std::exception_ptr error = std::current_exception();
  try {
    std::string words = printable_lines(words_about(error));
    if (others > 0) words += fmt::format(" (and {} more)", others);
    fatal(words, exit_status_of(error));
  } catch (...) {
    fatal("out of memory");  // for the description
  }
}

}  // namespace internal

}  // namespace grappa
