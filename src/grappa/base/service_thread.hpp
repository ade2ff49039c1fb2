#pragma once

// Threads of the runtime that serve it and run nothing of the program.
//
//   std::thread thread = start_without_signals([&] { serve(); });

#include <signal.h>

#include <thread>
#include <utility>

namespace grappa {

/// A thread that no signal interrupts: they are for the program's own.
template <class F>
std::thread start_without_signals(F run) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread thread(std::move(run));
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

}  // namespace grappa
