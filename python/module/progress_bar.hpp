#pragma once

// How far a call has come, for whoever waits for it.
//
//   CallStep step;                       // set in the run, shown by the thread that has called
//   ProgressBar bar;
//   while (!done()) bar.show(step);      // with the GIL
//
// A bar appears when half a second has passed since it was made; grappa/progress.py draws it.

#include <nanobind/nanobind.h>

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace grappa::python {

class CallStep {
 public:
  void set(std::string_view what, double fraction) {
    const std::lock_guard lock(mutex_);
    what_ = what;
    fraction_ = fraction;
  }
  /// What is done, and how much of it; or an empty text.
  std::pair<std::string, double> get() const {
    const std::lock_guard lock(mutex_);
    return {what_, fraction_};
  }

 private:
  mutable std::mutex mutex_;
  std::string what_;
  double fraction_ = -1;
};

class ProgressBar {
 public:
  ProgressBar();
  /// Takes the GIL, if there is a bar to take away.
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// Draws it at times. Throws what Python throws while it draws.
  void show(const CallStep& step);

 private:
  std::uint64_t next_ns_;
  nanobind::object bar_;
};

}  // namespace grappa::python
