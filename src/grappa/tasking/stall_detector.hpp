#pragma once

// Names tasks that hog a core.
//
// Scheduling is cooperative: while a task runs without suspending, its core handles no messages. A
// detector thread looks at every core a few times per Config::stall_ns and warns once for each
// stretch in which a core made no pass through its scheduler for that long. It sleeps otherwise.

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "grappa/tasking/core.hpp"

namespace grappa {

class StallDetector {
 public:
  /// Watches `cores` until it is destroyed. Nothing is watched when `stall_ns` is 0.
  StallDetector(std::vector<const Core*> cores, std::uint64_t stall_ns);
  ~StallDetector();
  StallDetector(const StallDetector&) = delete;
  StallDetector& operator=(const StallDetector&) = delete;

 private:
  struct Watch {
    const Core* core;
    std::uint64_t passes = 0;
    std::uint64_t since_ns = 0;
    bool warned = false;
  };

  void loop();
  void look(Watch& watch, std::uint64_t now) const;

  std::vector<Watch> watches_;
  std::uint64_t stall_ns_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stop_ = false;  // guarded by mutex_
  std::thread thread_;
};

}  // namespace grappa
