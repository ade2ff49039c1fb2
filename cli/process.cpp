#include "cli/process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>

#include "cli/interrupts.hpp"
#include "grappa/base/last_words.hpp"
#include "grappa/tasking/report_signal.hpp"

namespace grappa::cli {
namespace {

constinit std::atomic<bool> ending{false};
constinit std::atomic<bool> quiet{false};
constinit std::atomic<int> final_status{-1};  // once the work is done

const char* name_of(int number) {
  return number == SIGINT ? "SIGINT" : number == SIGTERM ? "SIGTERM" : "SIGHUP";
}

// Only what is safe in a signal handler. A runtime that is busy is not asked: it might not answer.
void end_on_signal(int number) {
  if (number == SIGINT && note_interrupt()) return;
  if (ending.exchange(true)) return;  // another thread is at it
  // Launchers send signals to those that have not ended yet when another one has.
  if (const int status = final_status.load(); status >= 0) _exit(status);
  // The others of a job first: if this is the end because one of them is lost, the process ends
  // here with the message that says so.
  internal::tell_last_words(name_of(number), 128 + number);
  if (!quiet.load()) {
    const bool progress = isatty(STDERR_FILENO) != 0;  // its line is wiped
    internal::write_last_line({progress ? "\r\033[K" : "", number == SIGINT
                                                               ? "grappa: interrupted"
                                                               : "grappa: ended by a signal"});
  }
  internal::exit_at_once(128 + number);
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
  setenv("HWLOC_HIDE_ERRORS", "2", 0);  // that of the MPI libraries, in containers without /sys
  // From here to the end of the process, hence never destroyed.
  [[maybe_unused]] static const auto* const report_signal = new internal::ReportSignal;
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);  // writing beyond ulimit -f is an error like a full disk
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

void end_with(int status) { final_status.store(status); }

}  // namespace grappa::cli
