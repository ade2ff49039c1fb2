#include "grappa/base/error.hpp"

#include <cxxabi.h>
#include <fmt/format.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <new>

#include "grappa/base/last_words.hpp"

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

}  // namespace

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
    return RemoteError(demangled_type_name(typeid(e)), e.what(), others);
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
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(type.name(), nullptr, nullptr, &status), &std::free);
  return status == 0 && name ? name.get() : type.name();
}

void fatal(std::string_view message) noexcept {
  // One line says why, also where all cores make the same mistake at once.
  static constinit std::atomic<bool> is_said{false};
  if (is_said.exchange(true)) leave_end_to_others(1);
  write_last_line({"grappa: fatal: ", message});
  tell_last_words(message, 1);
  exit_at_once(1);
}

void fatal_exception() noexcept {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    fatal("out of memory");
  } catch (...) {
    try {
      fatal(describe_exception(std::current_exception()));
    } catch (...) {
      fatal("out of memory");  // for the description
    }
  }
}

}  // namespace internal

}  // namespace grappa
