#pragma once

// Ctrl-C as a request to what the command does, and not as the end of the process.
//
//   Interrupts interrupts;                          // from here on
//   Cancellation cancellation(interrupts.asked());  // what is computed ends by it
//   use(interrupts.descriptor());                   // readable once it was asked for
//   interrupts.clear();
//
// Where nothing has answered a request for two seconds, the next Ctrl-C ends the process after all.
// One at a time; any thread may have the signal.

#include <atomic>

namespace grappa::cli {

class Interrupts {
 public:
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  std::atomic<bool>& asked();
  int descriptor() const { return descriptor_; }
  void clear();

 private:
  int descriptor_;
};

/// For the signal's handler: whether somebody is there to answer it.
bool note_interrupt() noexcept;

}  // namespace grappa::cli
