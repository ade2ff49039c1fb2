#include "cli/standard_output.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "grappa/base/error.hpp"
#include "grappa/base/external_wait.hpp"

namespace grappa::cli {

void StandardOutput::write(std::string_view text) {
  if (text.size() >= kFlushBytes) {
    flush();
    write_out(text);
    return;
  }
  buffer_ += text;
  if (buffer_.size() >= kFlushBytes) flush();
}

void StandardOutput::flush() {
  const std::string text = std::exchange(buffer_, {});
  write_out(text);
}

void StandardOutput::write_out(std::string_view text) {
  const internal::ExternalWait wait;
  while (!text.empty() && !closed_) {
    const ssize_t written = ::write(STDOUT_FILENO, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EPIPE) {
      closed_ = true;
    } else if (errno != EINTR) {
      closed_ = true;
      throw Error(fmt::format("standard output: cannot write: {}", std::strerror(errno)));
    }
  }
}

StandardOutput& standard_output() {
  static StandardOutput output;
  return output;
}

}  // namespace grappa::cli
