#include "grappa/tasking/report_signal.hpp"

#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <mutex>

#include "grappa/base/last_words.hpp"
#include "grappa/tasking/core.hpp"
#include "grappa/tasking/parker.hpp"
#include "grappa/tasking/scheduler.hpp"

namespace grappa::internal {
namespace {

constexpr int kSignal = SIGUSR1;
constexpr int kAnswerMs = 100;

// Signals are the process's, and so is all of this.
constinit std::atomic<int> listeners{0};
constinit std::atomic<std::uint32_t> asks{0};
constinit std::atomic<std::uint32_t> changes{0};  // asks and interruptions: what is waited on

// The one question to a thread that is open. A late answer has another number.
constinit std::mutex question_mutex;
constinit std::atomic<int> question{0};
constinit std::atomic<int> answered_question{0};
constinit std::atomic<int> running_core{-1};
constinit std::atomic<const std::type_info*> running_task{nullptr};

constinit std::mutex install_mutex;  // guards the two below
constinit int installed = 0;
struct sigaction before;

void announce_change() noexcept {
  changes.fetch_add(1, std::memory_order_seq_cst);
  syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&changes), FUTEX_WAKE_PRIVATE, INT_MAX,
          nullptr, nullptr, 0);
}

void answer(int number) noexcept {
  if (number != question.load(std::memory_order_acquire)) return;
  const bool inside = inside_runtime();
  running_core.store(inside ? here().id : -1, std::memory_order_relaxed);
  running_task.store(inside ? this_scheduler().current().task : nullptr, std::memory_order_relaxed);
  answered_question.store(number, std::memory_order_release);
}

void handle(int, siginfo_t* info, void*) {
  const int saved_errno = errno;
  if (info->si_code == SI_QUEUE && info->si_pid == getpid()) {
    answer(info->si_value.sival_int);
  } else if (!ask_for_report()) {
    write_last_line({"grappa: SIGUSR1: no run is going on, so there is nothing to report"});
  }
  errno = saved_errno;
}

bool is_ours(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) != 0 && action.sa_sigaction == &handle;
}

bool is_ours_now() {
  struct sigaction now{};
  sigaction(kSignal, nullptr, &now);
  return is_ours(now);
}

}  // namespace

ReportSignal::ReportSignal() {
  const std::lock_guard lock(install_mutex);
  if (installed++ > 0) return;
  sigaction(kSignal, nullptr, &before);
  if ((before.sa_flags & SA_SIGINFO) != 0 || before.sa_handler != SIG_DFL) return;
  struct sigaction action{};
  action.sa_sigaction = &handle;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigfillset(&action.sa_mask);
  sigaction(kSignal, &action, nullptr);
}

ReportSignal::~ReportSignal() {
  const std::lock_guard lock(install_mutex);
  if (--installed == 0 && is_ours_now()) sigaction(kSignal, &before, nullptr);
}

bool ask_for_report() noexcept {
  if (listeners.load(std::memory_order_acquire) == 0) return false;
  asks.fetch_add(1, std::memory_order_seq_cst);
  announce_change();
  return true;
}

ReportRequests::ReportRequests() : seen_asks_(asks.load()), seen_changes_(changes.load()) {
  listeners.fetch_add(1);
}

ReportRequests::~ReportRequests() { listeners.fetch_sub(1); }

bool ReportRequests::wait(std::uint64_t timeout_ns) {
  const timespec timeout{static_cast<time_t>(timeout_ns / 1'000'000'000),
                         static_cast<long>(timeout_ns % 1'000'000'000)};
  syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&changes), FUTEX_WAIT_PRIVATE, seen_changes_,
          timeout_ns == Parker::kForever ? nullptr : &timeout, nullptr, 0);
  seen_changes_ = changes.load(std::memory_order_seq_cst);
  return asks.load(std::memory_order_seq_cst) != seen_asks_;
}

void ReportRequests::forget() { seen_asks_ = asks.load(std::memory_order_seq_cst); }

void ReportRequests::interrupt() noexcept { announce_change(); }

std::optional<Running> what_runs_on(pthread_t thread) {
  const std::lock_guard lock(question_mutex);
  if (!is_ours_now()) return std::nullopt;
  const int number = question.load(std::memory_order_relaxed) + 1;
  question.store(number, std::memory_order_release);
  if (pthread_sigqueue(thread, kSignal, {.sival_int = number}) != 0) return std::nullopt;
  for (int i = 0; i < kAnswerMs; ++i) {
    if (answered_question.load(std::memory_order_acquire) == number)
      return Running{running_core.load(std::memory_order_relaxed),
                     running_task.load(std::memory_order_relaxed)};
    poll(nullptr, 0, 1);
  }
  return std::nullopt;
}

}  // namespace grappa::internal
