#pragma once

// The progress of a long command: one line on standard error that is written over.
//
//   Progress progress(quiet);
//   progress.show("loading web.txt.gz", 0.42);     // "grappa: loading web.txt.gz  42 %"
//   progress.show("iteration 7");
//   progress.clear();                              // before anything else is printed
//
// Only where standard error is a terminal, unless quiet; what takes less than a quarter of a
// second, or as long as is asked for, is never shown, so that short runs do not flicker. show()
// costs a clock read when it has nothing to do. Whoever shows progress is between two steps, and so
// ends there, by Cancelled, where the run is asked to (parallel/cancellation.hpp). One thread at a
// time.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace grappa::cli {

class Progress {
 public:
  static constexpr std::uint64_t kFirstNs = 250'000'000;
  explicit Progress(bool quiet, std::uint64_t first_ns = kFirstNs);
  /// Shows it there.
  using Sink = std::function<void(std::string_view what, double fraction)>;
  explicit Progress(Sink sink) : on_(true), sink_(std::move(sink)) {}
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  bool is_on() const { return on_; }
  /// fraction: 0 ... 1; negative where it is not known.
  void show(std::string_view what, double fraction = -1.0);
  void clear();

  /// For callers that only know a fraction.
  std::function<void(double)> reporter(std::string what);

 private:
  bool on_;
  Sink sink_;
  bool shown_ = false;
  std::uint64_t next_ns_ = 0;
};

}  // namespace grappa::cli
