#pragma once

// The scheduler of one core.
//
// Workers switch to one another directly: a worker that yields or suspends takes the next entry of
// the ready ring and jumps to its stack. Every so many switches, and when none is ready, it checks
// whether there is work for the core's *main context* (the stack of the driving thread), and if so
// passes control there: `step` runs messages that have arrived and system tasks that are due, and
// gives new tasks an idle worker. Message handlers therefore always run on the large main stack and
// never on a worker's. The number of switches follows from the time that they take.
//
// Coroutines that are ready are resumed, one after the other, by a worker that has nothing to run.
//
// Order: ready workers run first in, first out; coroutines and private tasks likewise; of public
// tasks the newest first, while thieves take the oldest; of loops the newest first. A new task is
// started at least once in every pass of the main context, so that workers that yield in a circle
// cannot starve it.
//
// All functions are for the core's own thread unless they say otherwise.

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "grappa/context/exception_state.hpp"
#include "grappa/context/stack_pool.hpp"
#include "grappa/context/switch.hpp"
#include "grappa/tasking/core.hpp"
#include "grappa/tasking/deadline_queue.hpp"
#include "grappa/tasking/doorbell.hpp"
#include "grappa/tasking/frame_pool.hpp"
#include "grappa/tasking/metrics.hpp"
#include "grappa/tasking/ready_ring.hpp"
#include "grappa/tasking/report_slot.hpp"
#include "grappa/tasking/ring.hpp"
#include "grappa/tasking/steal_backoff.hpp"
#include "grappa/tasking/steal_deque.hpp"
#include "grappa/tasking/suspended.hpp"
#include "grappa/tasking/switch_quota.hpp"
#include "grappa/tasking/task.hpp"
#include "grappa/tasking/task_slots.hpp"
#include "grappa/tasking/unit_pacer.hpp"
#include "grappa/tasking/worker.hpp"

namespace grappa::internal {

struct RangeDescriptor;

/// The scheduler of one core.
class Scheduler {
 public:
  static constexpr std::uint32_t kMaxStolen = 1024;  // tasks at a time

  Scheduler(Core& core, const Config& config);
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  // ---- for tasks ----

  /// The worker that runs now, or the core's main pseudo-worker inside handlers and the main loop.
  Worker& current() { return *ready_.running(); }

  /// True where suspending is allowed: in a task and not inside a delegate.
  bool may_suspend() const { return inside_ == 0; }

  /// Lets other ready workers of this core run; returns at once when there is nothing else to do.
  void yield() {
    if (may_switch_quickly()) [[likely]] {
      switch_quickly(ready_.push_running());
    } else {
      yield_slowly();
    }
  }

  /// Lets the main context run once (it polls), then this worker again.
  void yield_to_main();

  /// Suspends the current worker until `wake`. `why` is shown to people. Fatal inside a delegate.
  void suspend(const char* why) {
    if (may_switch_quickly()) [[likely]] {
      Worker& self = current();
      self.state = WorkerState::kSuspended;
      self.waits_for = why;
      self.suspended_at_ms = time_ms_;
      kSuspensions.add_to(*core_.metrics);
      switch_quickly(self.context);
    } else {
      suspend_slowly(why);
    }
  }

  /// Makes a suspended worker ready. From handlers and tasks of this core.
  void wake(Worker* worker) {
    worker->state = WorkerState::kReady;
    ready_.push(worker);
  }

  /// Makes a suspended worker or coroutine ready. From handlers and tasks of this core.
  void wake(Suspended suspended) {
    if (suspended.is_coroutine()) {
      resume_later(suspended.coroutine());
    } else {
      wake(suspended.worker());
    }
  }

  /// Resumes a coroutine after those that are ready.
  void resume_later(const Resumption& coroutine) { resumable_.push(coroutine); }

  /// Suspends the current worker for at least `ns` on the run's clock.
  void sleep_for(std::uint64_t ns);

  /// Wakes `sleeper` after at least `ns`. Throws UsageError for what was a negative number.
  void wake_after(std::uint64_t ns, Suspended sleeper);

  /// At the end of a run: ends the process if a coroutine is left, which nobody could destroy then.
  void require_no_coroutines() const;

  /// Where the coroutines of this core have their frames.
  FramePool& frames() { return frames_; }

  /// Between units of a loop: polls when something has arrived or a while has passed.
  void between_units() {
    if (units_.unit_is_last() || core_.pump->has_arrivals()) poll_between_units();
  }

  /// Brackets a closure that runs as a delegate on a task's stack: suspending in it is an error,
  /// and messages name the closure.
  struct NoSuspend {
    explicit NoSuspend(Scheduler& s, const std::type_info* closure = nullptr)
        : scheduler(s), task(s.current().task), gate(std::exchange(s.gate_, kClosed)) {
      ++scheduler.inside_;
      if (closure != nullptr) scheduler.current().task = closure;
    }
    ~NoSuspend() {
      --scheduler.inside_;
      scheduler.gate_ = gate;
      scheduler.current().task = task;
    }
    NoSuspend(const NoSuspend&) = delete;
    NoSuspend& operator=(const NoSuspend&) = delete;
    Scheduler& scheduler;
    const std::type_info* task;
    const ExceptionState* gate;
  };

  // ---- new work ----

  void push_private(const Task& task) { tasks_of(task.type->stack).push(task); }
  void push_public(const Task& task);

  /// Tells sleeping threads of the locale that there is something to steal.
  void invite_thieves();

  // ---- for the driver ----

  /// One pass of the main context. True when anything was done.
  bool step() { return proceed(poll()); }

  /// The parts of a pass: runs the messages that have arrived, and then the rest, with what `poll`
  /// has returned. True when anything was done.
  bool poll();
  bool proceed(bool polled);

  /// Runs a worker that is ready or a new task. True when there was one.
  bool run_ready();

  /// Tries to take work from the other cores of the locale. True when some was taken.
  bool steal();

  /// For a core whose `step` found nothing: tries to steal, less and less often while it finds
  /// nothing, or else asks other locales. True when it did either.
  bool seek_work();

  /// When (on the run's clock) something is due that `seek_work` or `step` would do for the balance
  /// between locales, or kNoDeadline.
  std::uint64_t next_balancing() const;

  /// Nanoseconds (on the run's clock) at which a sleeping task is due, or kNoDeadline.
  std::uint64_t next_deadline() const { return timers_.next(); }

  /// Registers work that runs on the main context about every `period_ns` while the core is busy.
  void add_system_task(std::uint64_t period_ns, void (*run)(Core&));

  /// Registers `run(argument)`, called on the main context when the core has nothing else to do; it
  /// returns whether it did anything. For buffers that fill while there is work.
  void add_idle_hook(bool (*run)(void*), void* argument) { idle_hooks_.push_back({run, argument}); }
  void remove_idle_hook(const void* argument);
  bool run_idle_hooks();

  bool has_local_work();

  /// How many tasks thieves could take; a hint. Any thread may ask.
  std::int64_t public_tasks() const { return public_.size_hint(); }

  /// Sends the oldest public tasks to a core of another locale, at most `most`; returns how many.
  std::int64_t send_public(int to, std::int64_t most);

  /// Workers and coroutines that wait for something.
  std::size_t suspended_tasks() const;

  /// What tasks have thrown and nobody has been told yet, and a line for each kind of those that
  /// wait: the task, how many there are, what they wait for and for how long. At most `limit` each.
  std::string describe_suspended(std::size_t limit) const;

  /// Keeps the number of its tasks, and of its messages, for who records this run.
  void record_counters();

  /// Where others ask for a report on all tasks, which the next pass makes.
  ReportSlot& report_slot() { return report_; }

  /// Where threads outside of the run call a task of this core.
  Doorbell& doorbell() { return doorbell_; }

  /// The time in ms on the run's clock at the last look at it, which is never long ago unless a
  /// task hogs the core. Only differences mean something.
  std::uint32_t time_ms() const { return time_ms_; }

  /// Counts passes. Any thread may ask.
  std::uint64_t passes() const { return passes_.load(std::memory_order_relaxed); }

 private:
  void was_busy();
  static constexpr int kQuotaAfterMain = 64;  // it was wanted, and may be wanted again

  [[noreturn]] static void worker_entry(void* worker);
  [[noreturn]] void worker_loop(Worker& self);
  bool run_next(Worker& self);
  void run_private(Worker& self, Ring<Task>& tasks);
  bool run_public(Worker& self);
  void run_task(Worker& self, const Task& task);
  bool may_run_another();
  void has_run(Worker& self);
  void run_range(Worker& self, RangeDescriptor& range);
  void run_coroutines(Worker& self);
  bool steal_tasks(Core& victim);
  void count_here(Task& task);

  /// Workers with stacks of one class, and the tasks that need just those.
  struct WorkerClass {
    WorkerClass(std::size_t stack_bytes, StackMode mode) : stacks(stack_bytes, mode) {}
    StackPool stacks;
    std::vector<Worker*> idle;
    Ring<Task> tasks;  // private ones
  };
  WorkerClass& class_of(StackClass stack) { return classes_[static_cast<std::size_t>(stack)]; }
  Ring<Task>& tasks_of(StackClass stack) { return class_of(stack).tasks; }

  Worker* idle_worker(StackClass stack);
  Worker* create_worker(StackClass stack);
  bool has_new_work();
  bool main_is_wanted(bool for_new_work);
  RangeDescriptor* runnable_range();
  void run_due(std::uint64_t now);
  void count_pass(std::uint64_t now);
  void count_tasks();

  /// Whether somebody is ready, and nothing has to be looked at before the switch.
  bool may_switch_quickly() const {
    return !ready_.empty() && !ready_.allowance_is_used() && ExceptionState::idle(*gate_);
  }
  void switch_quickly(Context& save) {
    const ReadyRing::Entry& next = ready_.pop();
    switch_context(save, next.context);
  }
  void renew_quotas(int most);
  void yield_slowly();
  void suspend_slowly(const char* why);
  void poll_between_units();
  void switch_from_main(const Context& context);
  // From a worker to the next ready one, or to main.
  void leave(Worker& self, Context& save);
  void leave_for_main(Worker& self, Context& save);
  void switch_carefully(Context& save, const Context& context);
  void check_stack(const Worker& worker) const;
  static std::string describe_current();
  std::string describe_tasks() const;
  template <class OnWorker, class OnCoroutine>
  void for_each_suspended(const OnWorker& on_worker, const OnCoroutine& on_coroutine) const;

  Core& core_;
  static constexpr const ExceptionState* kClosed = &ExceptionState::kBusy;

  ReadyRing ready_;
  // A switch may be quick when this state is idle: that of the driving thread, or one that never is
  // where nothing may suspend, or where each switch has to shuffle or to look at canaries.
  const ExceptionState* gate_ = kClosed;
  ExceptionState* exceptions_ = nullptr;  // of the driving thread
  int inside_ = 1;  // the main context and the delegates around, in which nothing may suspend
  SwitchQuota quota_;
  UnitPacer units_;
  std::uint32_t time_ms_ = 0;
  bool check_canaries_;
  const bool shuffle_;
  const bool measures_distance_;  // of prefetches, when there are many workers
  int range_workers_ = 0;
  const int max_range_workers_;
  Ring<Resumption> resumable_;
  FramePool frames_;
  std::array<WorkerClass, kStackClasses> classes_;
  Worker main_worker_;
  bool prefer_new_ = false;
  bool large_turn_ = false;
  std::uint64_t idle_since_ = 0;  // 0: the last pass found work
  StealBackoff steal_backoff_;
  std::minstd_rand random_;

  StealDeque public_;
  TaskSlots task_slots_;

  struct IdleHook {
    bool (*run)(void*);
    void* argument;
  };
  std::vector<IdleHook> idle_hooks_;
  DeadlineQueue timers_;  // sleeping tasks
  DeadlineQueue system_;  // system tasks
  std::vector<Worker*> workers_;
  std::atomic<std::uint64_t> passes_{0};
  ReportSlot report_;
  Doorbell doorbell_;
};

}  // namespace grappa::internal
