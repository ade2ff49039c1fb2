#pragma once

// The most memory that this process has in use during a stretch of its work.
//
//   MemoryPeak peak;                 // before the run
//   peak.start();
//   …
//   std::uint64_t bytes = peak.stop();   // more than there were at start()
//
// A thread of its own samples it every half millisecond while a stretch lasts. Pages of mapped
// files do not count: they are the system's, which takes them back when it needs them.

#include <atomic>
#include <cstdint>
#include <thread>

namespace grappa::bench {

class MemoryPeak {
 public:
  /// Error inside of a run: its threads are pinned, and this one would be, too.
  MemoryPeak();
  ~MemoryPeak();
  MemoryPeak(const MemoryPeak&) = delete;
  MemoryPeak& operator=(const MemoryPeak&) = delete;

  void start();
  std::uint64_t stop();

 private:
  void watch();

  std::atomic<bool> watching_{false};
  std::atomic<bool> ended_{false};
  std::atomic<std::uint64_t> most_{0};
  std::uint64_t at_start_ = 0;
  std::thread thread_;
};

}  // namespace grappa::bench
