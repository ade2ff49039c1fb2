#pragma once

// The threads of a run, and what they do when there is nothing to do.
//
// A thread passes over the cores it drives. When none of them makes progress it flushes their
// messages, tries to steal, spins for `Config::spin_ns`, and then parks until something is sent to
// one of its cores. If the transport does not announce packets from other processes, the thread of
// a locale's first core wakes by itself, after sleeps that grow, and polls. In deterministic
// simulation there is one thread; every pass with work advances the virtual clock a little, and
// instead of spinning the thread jumps to the next event.
//
// A run in which every thread is parked, no message is in flight and no timer is set can never go
// on: the driver then prints what every suspended task waits for and ends the process. In a run of
// several processes it only says that its own is quiet. Where a task waits for calls from outside
// (doorbell.hpp), it sleeps until one comes.

#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "grappa/base/clock.hpp"
#include "grappa/tasking/core.hpp"
#include "grappa/tasking/parker.hpp"

namespace grappa::internal {

/// The threads of a run.
class Driver {
 public:
  /// `cpus`: processors to pin threads to, in order; empty to leave them unpinned.
  Driver(std::vector<Locale*> locales, int threads, std::vector<int> cpus, VirtualClock* clock);
  ~Driver();
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  /// Drives all cores until `stop` was called. The calling thread drives the first ones.
  void run();

  /// Called, by a thread of its own, when a report on all tasks begins (core_watch.hpp).
  void set_on_report(std::function<void()> on_report) { on_report_ = std::move(on_report); }

  /// Ends `run`; from any core.
  void stop();

  /// For runs in several processes, where each knows only about itself. Any thread may ask.
  struct Quiet {
    bool quiet = false;       // nothing can happen here until a packet arrives
    std::uint64_t wakes = 0;  // how often it was so and is so no more
  };
  Quiet quiet() const;

  /// What the suspended tasks wait for, a line for each or for some. Only while nothing happens.
  std::string describe_suspended(std::uint64_t& tasks) const;

 private:
  struct Thread {
    std::vector<Core*> cores;
    Parker parker;
    std::atomic<pthread_t> handle{0};  // once it drives them
    std::atomic<bool> waits{false};    // for something outside
    int cpu = -1;
    std::uint64_t poll_sleep_ns = 0;  // the last sleep between two polls
    unsigned busy_passes = 0;         // since the thread was last idle
  };

  void join();
  void drive(Thread& thread) noexcept;
  void loop(Thread& thread);
  bool pass(Thread& thread);
  bool look_for_work(Thread& thread);
  static bool polls_network(const Thread& thread);
  bool poll_closely(Thread& thread);
  static void watch_closely(const Thread& thread);
  void park(Thread& thread);
  static void sleep(Thread& thread, std::uint64_t ns);
  bool advance_clock(Thread& thread);
  static void enter(Core& core);
  static std::uint64_t next_event(const Thread& thread);
  static std::uint64_t next_poll(Thread& thread);
  static bool has_arrivals(const Thread& thread);
  static bool is_called(const Thread& thread);
  bool everything_asleep() const;
  bool awaits_calls() const;
  void set_quiet(bool quiet);
  void report_deadlock() const;

  std::vector<Locale*> locales_;
  std::vector<std::unique_ptr<Thread>> threads_;
  std::vector<std::thread> os_threads_;
  VirtualClock* clock_;
  std::uint64_t spin_ns_;
  std::function<void()> on_report_;
  std::atomic<bool> stop_{false};
  std::atomic<int> asleep_{0};  // threads that sleep without a timeout
  // Odd while this process is quiet; counts both changes.
  std::atomic<std::uint64_t> quiet_{0};
};

}  // namespace grappa::internal
