#pragma once

// Messages to the person who runs the program: one line each on standard error, written in one
// piece so that lines of several threads do not mix.
//
//   log_warning("huge pages are off: {}", reason);   // grappa: warning: huge pages are off: ...
//   if (!quiet) log_info("{} locales", n);           // grappa: 4 locales
//
// There is no level and no global switch: whoever has a --quiet looks at it before the call. Line
// breaks inside a message become spaces. If standard error is closed, the line is lost, no more.
// Thread and task safety: callable anywhere but in signal handlers; blocks the thread while the
// terminal is slow, never suspends the task.

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

namespace grappa::internal {

namespace log_detail {
void write_line(std::string_view label, std::string&& message) noexcept;
}  // namespace log_detail

/// Writes "grappa: " and the message; arguments as for fmt::format.
template <class... Args>
void log_info(fmt::format_string<Args...> format, Args&&... args) {
  log_detail::write_line("grappa: ", fmt::format(format, std::forward<Args>(args)...));
}

/// Writes "grappa: warning: " and the message.
template <class... Args>
void log_warning(fmt::format_string<Args...> format, Args&&... args) {
  log_detail::write_line("grappa: warning: ", fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace grappa::internal
