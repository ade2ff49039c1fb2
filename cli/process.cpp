#include "cli/process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <string_view>

namespace grappa::cli {
namespace {

constinit std::atomic<bool> ending{false};
constinit std::atomic<bool> quiet{false};

void write_error(std::string_view text) {
  // Nothing can be done where it fails: this is the end of the process.
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
}

// Only what is safe in a signal handler. A runtime that is busy is not asked: it might not answer.
void end_on_signal(int number) {
  if (ending.exchange(true)) return;  // another thread is at it
  if (!quiet.load()) {
    if (isatty(STDERR_FILENO) != 0) write_error("\r\033[K");  // wipes the line of the progress
    write_error(number == SIGINT ? "grappa: interrupted\n" : "grappa: ended by a signal\n");
  }
  _exit(128 + number);
}

// A descriptor that is closed is opened the wrong way round, so that using it is still an error.
void reserve_standard_descriptors() {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
    if (fcntl(fd, F_GETFD) >= 0) continue;
    if (open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0) return;
  }
}

}  // namespace

void prepare_process() {
  reserve_standard_descriptors();
  signal(SIGPIPE, SIG_IGN);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction previous{};
    sigaction(number, nullptr, &previous);
    if (previous.sa_handler == SIG_IGN) continue;  // nohup, or a shell's background job
    struct sigaction action{};
    action.sa_handler = end_on_signal;
    sigfillset(&action.sa_mask);
    sigaction(number, &action, nullptr);
  }
}

void end_without_a_word() { quiet.store(true); }

}  // namespace grappa::cli
