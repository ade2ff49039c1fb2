#include "grappa/base/log.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "grappa/base/printable.hpp"

namespace grappa::internal::log_detail {

void write_line(std::string_view label, std::string&& message) noexcept {
  std::replace(message.begin(), message.end(), '\n', ' ');
  try {
    message = printable(message);
    message.insert(0, label);
    message.push_back('\n');
  } catch (...) {
    return;  // no memory for a message: the program goes on without it
  }
  const char* rest = message.data();
  std::size_t left = message.size();
  while (left > 0) {
    const ssize_t written = write(STDERR_FILENO, rest, left);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    rest += written;
    left -= static_cast<std::size_t>(written);
  }
}

}  // namespace grappa::internal::log_detail
