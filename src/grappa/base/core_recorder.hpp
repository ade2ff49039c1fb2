#pragma once

// What a core tells of itself while it runs: where its time goes, how many tasks it has, and, for a
// timeline, its last events. Only in runs that want it (Config::records); elsewhere there is none.
//
//   CoreRecorder recorder(16 << 20);             // bytes for events; 0: none are kept
//   recorder.start(Activity::kScheduling);
//   recorder.enter(Activity::kProgram);
//   recorder.name(&typeid(closure));             // of what runs since then
//   recorder.enter(Activity::kScheduling);
//
// It is for transitions that are some hundred nanoseconds apart or more: each reads the clock. In
// the timeline a stretch that is shorter is added to the one before it, if that ends where it
// begins; the times of `times` are exact.
//
// Thread safety: for the core's own thread, except times, tasks, suspended and ring.

#include <atomic>
#include <cstdint>
#include <memory>

#include "grappa/base/activity_clock.hpp"
#include "grappa/base/clock.hpp"
#include "grappa/base/trace_ring.hpp"

namespace grappa::internal {

class CoreRecorder {
 public:
  explicit CoreRecorder(std::size_t trace_bytes);

  void start(Activity first);
  /// The run is over.
  void stop();
  Activity current() const { return clock_.current(); }

  /// Ends what the core did until now; what it does from now on is called `name`.
  void enter(Activity next, TraceName name = {}, std::int64_t messages = 0) {
    enter_at(now_ns(), next, name, messages);
  }
  /// Names what it does now after all.
  void name(TraceName name) { name_ = name; }

  /// Where a thread drives several cores: it turns to this one, and to another one. What this one
  /// did before goes on when the thread is back.
  void arrive();
  void leave();
  /// The core has nothing to do; is about to sleep, wherever its thread was; is awake again.
  void rest();
  void park();
  void wake(bool is_here);

  /// How many tasks of this core have begun and not ended, and how many of them wait for something.
  void count_tasks(std::uint64_t tasks, std::uint64_t suspended);

  /// For the timeline.
  bool has_events() const { return ring_ != nullptr; }
  void note(TraceKind kind, const char* what, std::uint64_t first, std::int64_t second);
  /// Whether the counters were kept so long ago that it is time for them again.
  bool counters_due() const { return has_events() && clock_.since() >= counters_due_; }
  /// What the core has run and sent since its start.
  void keep_counters(std::uint64_t messages, std::uint64_t bytes);

  /// Any thread.
  ActivityClock::Now times() const {
    const std::uint64_t end = end_.load(std::memory_order_acquire);
    return clock_.read(end != 0 ? end : now_ns());
  }
  std::uint64_t tasks() const { return tasks_.load(std::memory_order_relaxed); }
  std::uint64_t suspended() const { return suspended_.load(std::memory_order_relaxed); }
  const TraceRing* ring() const { return ring_.get(); }

  /// Adds the time since the last call to the metrics of this core.
  void account();

 private:
  void enter_at(std::uint64_t now, Activity next, TraceName name, std::int64_t messages);
  void keep_span(std::uint64_t now);

  ActivityClock clock_;
  TraceName name_;
  std::int64_t messages_ = 0;
  Activity after_elsewhere_ = Activity::kScheduling;
  std::uint64_t counters_due_ = 0;
  std::atomic<std::uint64_t> end_{0};  // 0: it goes on
  std::atomic<std::uint64_t> tasks_{0};
  std::atomic<std::uint64_t> suspended_{0};
  std::unique_ptr<TraceRing> ring_;
  ActivityTimes accounted_{};
};

}  // namespace grappa::internal
