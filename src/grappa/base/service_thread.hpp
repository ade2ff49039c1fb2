#pragma once

// Threads of the runtime.
//
//   std::thread core = start_thread([&] { drive(); });
//   std::thread server = start_without_signals([&] { serve(); });  // runs nothing of the program
//   std::thread run = start_beside_program([&] { run_tasks(); });  // and what it starts
//
// Errors: Error where the system allows no more threads, or has no memory for their stacks.

#include <fmt/format.h>
#include <signal.h>

#include <initializer_list>
#include <system_error>
#include <thread>
#include <utility>

#include "grappa/base/error.hpp"

namespace grappa::internal {

template <class F>
std::thread start_thread(F run) {
  try {
    return std::thread(std::move(run));
  } catch (const std::system_error& error) {
    throw Error(fmt::format("cannot start a thread: {} (see ulimit -u, and -s for its stack)",
                            error.code().message()));
  }
}

/// While it lives, the calling thread and those that it starts hear `heard` and no other signals.
class SignalMask {
 public:
  explicit SignalMask(std::initializer_list<int> heard) {
    sigset_t others;
    sigfillset(&others);
    for (const int signal : heard) sigdelset(&others, signal);
    pthread_sigmask(SIG_SETMASK, &others, &before_);
  }
  ~SignalMask() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalMask(const SignalMask&) = delete;
  SignalMask& operator=(const SignalMask&) = delete;

 private:
  sigset_t before_;
};

/// A thread that no signal interrupts: they are for the program's own.
template <class F>
std::thread start_without_signals(F run) {
  const SignalMask mask({});
  return start_thread(std::move(run));
}

/// A thread that hears of its own faults, and what it is asked as a thread that drives cores
/// (SIGUSR1). Signals to the process are for the program's threads.
template <class F>
std::thread start_beside_program(F run) {
  const SignalMask mask({SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGUSR1});
  return start_thread(std::move(run));
}

}  // namespace grappa::internal
