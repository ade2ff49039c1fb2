#pragma once

// Tells people what the cores of a run are at: on request, and where a task hogs one.
//
// Scheduling is cooperative: while a task runs without suspending, its core handles no messages. A
// thread that sleeps otherwise looks at every driving thread a few times per Config::stall_ns and
// warns once for each stretch in which a thread made no pass through its schedulers for that long,
// unless it waits for something outside of the process (external_wait.hpp).
//
// On SIGUSR1 (report_signal.hpp) the same thread asks every core to describe itself: the tasks that
// are ready, and each kind of suspended task, how many there are, what they wait for and for how
// long. A core that has not answered within a second is named with the task that it runs instead.
// At most one report a second; what asks for it in that time has its answer.

#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "grappa/tasking/core.hpp"
#include "grappa/tasking/report_signal.hpp"

namespace grappa::internal {

/// A thread that drives cores, as others see it.
struct WatchedThread {
  const std::vector<Core*>* cores;
  const std::atomic<pthread_t>* handle;  // 0: it has not begun
  const std::atomic<bool>* waits;        // for something outside (external_wait.hpp)
};

class CoreWatch {
 public:
  /// Watches `threads` until stop() or its end; one that has ended must not be joined before. No
  /// stall is looked for when `stall_ns` is 0. `on_report` is called when a report begins.
  CoreWatch(std::vector<WatchedThread> threads, std::uint64_t stall_ns,
            std::function<void()> on_report);
  ~CoreWatch();
  CoreWatch(const CoreWatch&) = delete;
  CoreWatch& operator=(const CoreWatch&) = delete;

  void stop();

 private:
  struct Watch {
    WatchedThread thread;
    std::uint64_t passes = 0;
    std::uint64_t since_ns = 0;
    bool warned = false;
  };

  void loop();
  void look_for_stall(Watch& watch, std::uint64_t now) const;
  void report();
  void wait_for_answers() const;
  std::string describe() const;
  static std::string describe_hogged(const WatchedThread& thread, const std::vector<Core*>& silent);

  const ReportSignal signal_;
  ReportRequests requests_;
  std::vector<Watch> watches_;
  const std::uint64_t stall_ns_;
  const std::function<void()> on_report_;
  std::uint64_t last_report_ns_ = 0;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

}  // namespace grappa::internal
