#include "grappa/tasking/driver.hpp"

#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "grappa/base/closure_names.hpp"
#include "grappa/base/core_recorder.hpp"
#include "grappa/base/error.hpp"
#include "grappa/base/external_wait.hpp"
#include "grappa/base/last_words.hpp"
#include "grappa/base/service_thread.hpp"
#include "grappa/base/topology.hpp"
#include "grappa/context/overflow.hpp"
#include "grappa/tasking/core_watch.hpp"
#include "grappa/tasking/metrics.hpp"
#include "grappa/tasking/scheduler.hpp"

namespace grappa::internal {
namespace {

constexpr std::uint64_t kDeadlockCheckNs = 500'000'000;
// A core that answers a request now and then stays hungry: saying so costs two cache line moves.
constexpr unsigned kBusyPasses = 8;
constexpr std::uint64_t kShortestPollSleepNs = 20'000;
constexpr std::uint64_t kLongestPollSleepNs = 1'000'000;
constexpr int kClosePolls = 16;  // in a row, before an idle thread looks elsewhere again
constexpr std::uint64_t kSimulatedPassNs = 100;  // what a pass over the cores takes in simulation

// In a child that was forked by a task: all other threads of the run are missing there.
constinit bool forked_in_run = false;

void notice_forks() {
  static const int kept =
      pthread_atfork(nullptr, nullptr, [] { forked_in_run = inside_runtime(); });
  static_cast<void>(kept);
}

/// Ends such a child, and not the run, which goes on in its parent.
void require_parent() {
  if (!forked_in_run) [[likely]]
    return;
  write_last_line(
      {"grappa: fatal: a child that was forked inside a run cannot go on with the run; it has to "
       "end by exec or _exit before its task ends or waits"});
  _exit(1);
}

/// Keeps what `run` changes of the calling thread, which may be the program's own.
struct ThreadSettings {
  Core* core = current_core();
  MetricsBlock* block = metrics::current();
  AffinityKeeper affinity;
  ~ThreadSettings() {
    set_current_core(core);
    metrics::set_current(block);
  }
};

/// Names the task on whose stack the fault happened. Runs in a signal handler.
void describe_task(void*, TaskDescription& told) {
  const char* name = "no task";
  std::string demangled;
  if (inside_runtime()) {
    const Worker& worker = this_scheduler().current();
    told.knob = stack_knob(worker);
    if (worker.task != nullptr) {
      if (told.may_allocate) demangled = closure_name(*worker.task);
      name = told.may_allocate ? demangled.c_str() : closure_name_now(*worker.task);
    }
  }
  told.size = std::string_view(name).copy(told.name, told.size);
}

}  // namespace

Driver::Driver(std::vector<Locale*> locales, int threads, std::vector<int> cpus,
               VirtualClock* clock)
    : locales_(std::move(locales)), clock_(clock), spin_ns_(locales_.front()->config.spin_ns) {
  std::vector<Core*> cores;
  for (Locale* locale : locales_) {
    locale->driver = this;
    for (auto& core : locale->cores) cores.push_back(core.get());
  }
  const auto count = static_cast<std::size_t>(threads);
  for (std::size_t t = 0; t < count; ++t) {
    threads_.push_back(std::make_unique<Thread>());
    if (!cpus.empty()) threads_.back()->cpu = cpus[t % cpus.size()];
  }
  for (std::size_t i = 0; i < cores.size(); ++i) {
    Thread& thread = *threads_[i * count / cores.size()];
    thread.cores.push_back(cores[i]);
    cores[i]->parker = &thread.parker;
  }
  for (const auto& thread : threads_) {
    for (Core* core : thread->cores) core->shares_thread = thread->cores.size() > 1;
  }
}

Driver::~Driver() {
  for (Locale* locale : locales_) locale->driver = nullptr;
}

void Driver::enter(Core& core) {
  const Core* const before = current_core();
  if (core.recorder != nullptr && before != &core) [[unlikely]] {
    if (before != nullptr) before->recorder->leave();
    core.recorder->arrive();
  }
  set_current_core(&core);
  metrics::set_current(core.metrics);
}

void Driver::run() {
  const ThreadSettings keep;
  notice_forks();
  stop_.store(false, std::memory_order_relaxed);
  std::vector<WatchedThread> watched;
  for (const auto& thread : threads_)
    watched.push_back({&thread->cores, &thread->handle, &thread->waits});
  CoreWatch watch(watched, clock_ == nullptr ? locales_.front()->config.stall_ns : 0, on_report_);
  try {
    for (std::size_t t = 1; t < threads_.size(); ++t)
      os_threads_.push_back(start_thread([this, t] { drive(*threads_[t]); }));
  } catch (...) {
    stop();
    watch.stop();
    join();
    throw;
  }
  drive(*threads_[0]);
  watch.stop();  // it must not ask a thread that is gone
  join();
}

void Driver::join() {
  for (std::thread& thread : os_threads_) thread.join();
  os_threads_.clear();
}

void Driver::stop() {
  stop_.store(true, std::memory_order_seq_cst);
  for (auto& thread : threads_) thread->parker.wake();
}

// What gets here has left a message half handled, in this process or in others.
void Driver::drive(Thread& thread) noexcept {
  try {
    loop(thread);
  } catch (...) {
    fatal_exception();
  }
}

void Driver::loop(Thread& thread) {
  const OverflowWatch overflow_watch(&describe_task, nullptr);
  if (thread.cpu >= 0) pin_this_thread(thread.cpu);
  for (Core* core : thread.cores) {
    if (core->recorder != nullptr)
      core->recorder->start(core->shares_thread ? Activity::kElsewhere : Activity::kScheduling);
  }
  ExternalWait::watch(&thread.waits);
  thread.handle.store(pthread_self(), std::memory_order_release);
  std::uint64_t idle_since = 0;
  while (!stop_.load(std::memory_order_relaxed)) {
    require_parent();
    if (pass(thread) || look_for_work(thread)) {
      idle_since = 0;
      set_quiet(false);
      // Work takes time: a task that yields until something arrives must not stop the clock.
      if (clock_ != nullptr) clock_->advance_to(clock_->now() + kSimulatedPassNs);
      continue;
    }
    for (Core* core : thread.cores) {
      core->set_hungry(true);
      if (core->recorder != nullptr) [[unlikely]]
        core->recorder->rest();
    }
    thread.busy_passes = 0;
    if (clock_ != nullptr) {
      // A core may have sent something to one that had its turn before it.
      if (has_arrivals(thread) || advance_clock(thread)) continue;
      if (!awaits_calls()) report_deadlock();
      park(thread);
      continue;
    }
    if (poll_closely(thread)) {
      idle_since = 0;
      continue;
    }
    const std::uint64_t now = now_ns();
    if (idle_since == 0) idle_since = now;
    if (now - idle_since < spin_ns_) {
      if (!polls_network(thread)) watch_closely(thread);
    } else {
      park(thread);
      idle_since = 0;
    }
  }
  require_parent();
  ExternalWait::watch(nullptr);
  for (Core* core : thread.cores) {
    if (core->recorder != nullptr) core->recorder->stop();
  }
}

bool Driver::pass(Thread& thread) {
  bool progress = false;
  for (Core* core : thread.cores) {
    enter(*core);
    const bool polled = core->scheduler->poll();
    if (polled) set_quiet(false);  // before a task that this wakes and that runs for seconds
    if (core->scheduler->proceed(polled)) {
      progress = true;
      if (++thread.busy_passes >= kBusyPasses) core->set_hungry(false);
      thread.poll_sleep_ns = 0;
    } else if (thread.cores.size() > 1) {
      // The thread's other cores may have work for long yet. What this one took is begun before the
      // next core of the thread can take it away again.
      if (core->scheduler->seek_work()) {
        progress = true;
        core->scheduler->step();
      }
    }
  }
  return progress;
}

bool Driver::polls_network(const Thread& thread) {
  const Core& core = *thread.cores.front();
  return core.index == 0 && core.pump->must_poll();
}

// If arrivals are not announced, the time between polls is part of every latency.
bool Driver::poll_closely(Thread& thread) {
  if (!polls_network(thread)) return false;
  Scheduler& scheduler = *thread.cores.front()->scheduler;
  enter(*thread.cores.front());
  for (int i = 0; i < kClosePolls; ++i) {
    if (!scheduler.poll()) continue;
    set_quiet(false);  // what runs now may take long
    // What came is often an answer that a task waits for.
    scheduler.run_ready();
    return true;
  }
  return false;
}

// A look for other work takes longer than one for arrivals, and is part of every latency, too.
void Driver::watch_closely(const Thread& thread) {
  for (int i = 0; i < kClosePolls && !has_arrivals(thread); ++i) cpu_relax();
}

bool Driver::look_for_work(Thread& thread) {
  bool progress = false;
  for (Core* core : thread.cores) {
    enter(*core);
    progress |= core->pump->flush();
    progress |= core->scheduler->run_idle_hooks();
  }
  if (progress || thread.cores.size() > 1) return progress;
  return thread.cores.front()->scheduler->seek_work();
}

bool Driver::has_arrivals(const Thread& thread) {
  return std::any_of(thread.cores.begin(), thread.cores.end(),
                     [](const Core* core) { return core->pump->has_arrivals(); });
}

bool Driver::is_called(const Thread& thread) {
  return std::any_of(thread.cores.begin(), thread.cores.end(), [](const Core* core) {
    return core->scheduler->report_slot().asked_before_sleep() ||
           core->scheduler->doorbell().is_heard_before_sleep();
  });
}

std::uint64_t Driver::next_event(const Thread& thread) {
  std::uint64_t next = kNoDeadline;
  for (const Core* core : thread.cores) {
    next = std::min({next, core->scheduler->next_deadline(), core->scheduler->next_balancing(),
                     core->pump->next_arrival()});
  }
  return next;
}

std::uint64_t Driver::next_poll(Thread& thread) {
  if (!polls_network(thread)) return kNoDeadline;
  thread.poll_sleep_ns =
      std::clamp(2 * thread.poll_sleep_ns, kShortestPollSleepNs, kLongestPollSleepNs);
  return now_ns() + thread.poll_sleep_ns;
}

bool Driver::advance_clock(Thread& thread) {
  const std::uint64_t next = next_event(thread);
  if (next == kNoDeadline) return false;
  clock_->advance_to(next);
  return true;
}

void Driver::park(Thread& thread) {
  Locale& locale = thread.cores.front()->locale;
  thread.parker.announce();
  locale.parked_threads.fetch_add(1, std::memory_order_seq_cst);
  // Once more, now that everybody who publishes work will see that we sleep.
  bool found = stop_.load(std::memory_order_seq_cst) || has_arrivals(thread) || is_called(thread);
  if (!found) {
    for (Core* core : thread.cores) {
      enter(*core);
      found = found || core->scheduler->steal();
    }
  }
  if (found) {
    thread.parker.retract();
  } else {
    metrics::set_current(thread.cores.front()->metrics);
    kParks.add();
    const std::uint64_t event = next_event(thread);
    const std::uint64_t poll = next_poll(thread);
    if (poll != kNoDeadline)
      set_quiet(event == kNoDeadline && everything_asleep() && !awaits_calls());
    const std::uint64_t next = std::min(event, poll);
    if (next != kNoDeadline) {
      const std::uint64_t now = now_ns();
      sleep(thread, next > now ? next - now : 0);
    } else {
      const bool last =
          asleep_.fetch_add(1, std::memory_order_seq_cst) + 1 == static_cast<int>(threads_.size());
      // The last to fall asleep looks once more after a while whether anything has moved.
      const bool looks = last && !awaits_calls();
      const std::uint64_t start = now_ns();
      sleep(thread, looks ? kDeadlockCheckNs : Parker::kForever);
      asleep_.fetch_sub(1, std::memory_order_seq_cst);
      const bool timed_out = now_ns() - start >= kDeadlockCheckNs;
      if (looks && timed_out && !stop_.load(std::memory_order_seq_cst) && everything_asleep() &&
          !awaits_calls())
        report_deadlock();
    }
  }
  locale.parked_threads.fetch_sub(1, std::memory_order_seq_cst);
}

void Driver::sleep(Thread& thread, std::uint64_t ns) {
  if (thread.cores.front()->recorder != nullptr) {
    for (Core* core : thread.cores) {
      core->scheduler->record_counters();
      core->recorder->park();
    }
  }
  thread.parker.park(ns);
  if (thread.cores.front()->recorder != nullptr) {
    for (Core* core : thread.cores) core->recorder->wake(core == current_core());
  }
}

void Driver::set_quiet(bool quiet) {
  std::uint64_t before = quiet_.load(std::memory_order_relaxed);
  if ((before % 2 != 0) != quiet) {
    quiet_.compare_exchange_strong(before, before + 1, std::memory_order_acq_rel);
  }
}

Driver::Quiet Driver::quiet() const {
  const std::uint64_t value = quiet_.load(std::memory_order_acquire);
  return {value % 2 != 0, value / 2};
}

bool Driver::everything_asleep() const {
  // All but the calling thread sleep without a timeout, and nothing is on its way to anybody.
  if (asleep_.load(std::memory_order_seq_cst) + 1 != static_cast<int>(threads_.size()))
    return false;
  for (const auto& thread : threads_) {
    for (const Core* core : thread->cores) {
      if (core->pump->next_arrival() != MessagePump::kNoArrival || core->pump->inbound_waiting())
        return false;
    }
  }
  const Parker* mine = here().parker;
  return std::all_of(threads_.begin(), threads_.end(), [mine](const auto& thread) {
    return &thread->parker == mine || thread->parker.parked();
  });
}

std::string Driver::describe_suspended(std::uint64_t& tasks) const {
  std::string waits;
  for (const Locale* locale : locales_) {
    for (const auto& core : locale->cores) {
      tasks += core->scheduler->suspended_tasks();
      waits += core->scheduler->describe_suspended(8);
    }
  }
  if (!waits.empty()) waits.pop_back();  // whoever prints it ends the line
  return waits;
}

// Whatever sleeps then, a call may come from outside.
bool Driver::awaits_calls() const {
  return locales_.front()->cores.front()->scheduler->doorbell().has_waiter();
}

void Driver::report_deadlock() const {
  std::uint64_t suspended = 0;
  const std::string waits = describe_suspended(suspended);
  fatal(fmt::format("deadlock: all {} suspended tasks wait, and no message is in flight:\n{}",
                    suspended, waits));
}

}  // namespace grappa::internal
