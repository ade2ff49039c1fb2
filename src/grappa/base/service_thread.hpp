#pragma once

// Threads of the runtime.
//
//   std::thread core = start_thread([&] { drive(); });
//   std::thread server = start_without_signals([&] { serve(); });  // runs nothing of the program
//
// Errors: Error where the system allows no more threads, or has no memory for their stacks.

#include <fmt/format.h>
#include <signal.h>

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

/// A thread that no signal interrupts: they are for the program's own.
template <class F>
std::thread start_without_signals(F run) {
  // A new thread has the mask of the one that starts it.
  class Mask {
   public:
    Mask() {
      sigset_t all;
      sigfillset(&all);
      pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    ~Mask() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

   private:
    sigset_t before_;
  };
  const Mask mask;
  return start_thread(std::move(run));
}

}  // namespace grappa::internal
