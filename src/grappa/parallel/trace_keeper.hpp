#pragma once

// The timeline of a run (Config::trace): who writes it, when, and by whose clock.
//
// At the end of a run the process of locale 0 asks the others for the events of their cores, with
// times by its own clock, and writes one file. When the run fails every process that still can
// writes those of its own cores: locale 0 to the file, locale n to the same name with .localeN
// behind it.

#include <semaphore.h>

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "grappa/base/last_words.hpp"
#include "grappa/base/trace_file.hpp"
#include "grappa/base/trace_text.hpp"
#include "grappa/tasking/core.hpp"

namespace grappa::internal {

class TraceKeeper {
 public:
  /// For the locales of this process, with their cores in place. Throws UsageError when the file
  /// cannot be written.
  explicit TraceKeeper(const std::vector<std::unique_ptr<Locale>>& locales);
  ~TraceKeeper();
  TraceKeeper(const TraceKeeper&) = delete;
  TraceKeeper& operator=(const TraceKeeper&) = delete;

  /// In a task of locale 0, at the start and at the end of the run.
  void begin();
  void end();
  /// In the process of locale 0, when no core runs any more.
  void write();

 private:
  struct Meeting {  // of two clocks
    std::uint64_t here;
    std::uint64_t there;
  };
  static Meeting meet(int core);
  static void end_hook(void* keeper) noexcept;
  bool has_first_locale() const { return locales_.front()->id == 0; }
  std::vector<std::string> own_events() const;
  void wait_for_end();
  void write_all();
  void write_own();

  const std::vector<std::unique_ptr<Locale>>& locales_;
  std::unique_ptr<TraceFile> file_;
  std::vector<Meeting> meetings_;  // at the start: with the locales after the first one
  std::vector<std::string> others_;
  std::uint64_t lost_ = 0;
  // A thread of its own writes the file, as whoever ends the process early may be in a signal
  // handler, and may have interrupted whoever waits for the regular end.
  sem_t wanted_;
  std::atomic<bool> is_whole_{false};  // the run has ended, and is to be written
  std::atomic<bool> stops_{false};
  std::atomic<bool> is_written_{false};
  std::exception_ptr failure_;
  std::thread thread_;
  std::optional<EndHook> hook_;  // while all that it uses is there
};

}  // namespace grappa::internal
