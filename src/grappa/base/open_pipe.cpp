#include "grappa/base/open_pipe.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>

#include <cerrno>
#include <string_view>

#include "grappa/base/external_wait.hpp"
#include "grappa/base/log.hpp"

namespace grappa::internal {
namespace {

constexpr int kPatienceMs = 2000;

bool is_fifo(const std::string& path) {
  struct stat status;
  return ::stat(path.c_str(), &status) == 0 && S_ISFIFO(status.st_mode);
}

void say_waiting(const std::string& path, std::string_view for_what) {
  log_info("{}: waiting for a program to {} this pipe", path, for_what);
}

int blocking(int descriptor) {
  ::fcntl(descriptor, F_SETFL, 0);
  return descriptor;
}

// Nothing comes from a fifo until somebody writes to it.
void wait_for_writer(int descriptor, const std::string& path) {
  pollfd ask{.fd = descriptor, .events = POLLIN, .revents = 0};
  if (::poll(&ask, 1, kPatienceMs) != 0) return;
  say_waiting(path, "write to");
  while (::poll(&ask, 1, -1) < 0 && errno == EINTR) {
  }
}

}  // namespace

int open_to_read(const std::string& path) {
  const ExternalWait wait;
  if (!is_fifo(path)) return ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) return descriptor;
  wait_for_writer(descriptor, path);
  return blocking(descriptor);
}

int open_to_write(const std::string& path, int more_flags) {
  constexpr int kPauseMs = 10;
  constexpr mode_t kNewFileMode = 0666;  // less what the umask takes away
  const ExternalWait wait;
  if (is_fifo(path)) {
    // Without a reader there is no descriptor yet that could be asked whether one has come.
    for (int waited = 0; waited < kPatienceMs; waited += kPauseMs) {
      const int descriptor = ::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
      if (descriptor >= 0) return blocking(descriptor);
      if (errno != ENXIO) return descriptor;
      ::poll(nullptr, 0, kPauseMs);
    }
    say_waiting(path, "read");
  }
  return ::open(path.c_str(), O_WRONLY | O_CLOEXEC | more_flags, kNewFileMode);
}

}  // namespace grappa::internal
