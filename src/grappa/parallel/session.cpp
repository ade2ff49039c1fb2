#include "grappa/parallel/session.hpp"

#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "grappa/base/clock.hpp"
#include "grappa/base/error.hpp"
#include "grappa/base/log.hpp"
#include "grappa/base/service_thread.hpp"
#include "grappa/parallel/cancellation.hpp"
#include "grappa/parallel/runtime.hpp"
#include "grappa/parallel/whole_call.hpp"
#include "grappa/tasking/scheduler.hpp"

namespace grappa {
namespace {

// A short call is done before its caller would have fallen asleep.
constexpr std::uint64_t kSpinNs = 10'000;
constexpr std::uint64_t kLongestNs = std::uint64_t{1} << 61;  // which a clock can be asked to wait

// By which this process has come of others, since the first session was opened.
constinit std::atomic<std::uint64_t> forks{0};

void notice_forks() {
  static const int kept = pthread_atfork(nullptr, nullptr, [] { forks.fetch_add(1); });
  static_cast<void>(kept);
}

void require_outside() {
  if (internal::inside_runtime())
    throw UsageError("a session was used inside a run: call the function itself, or spawn a task");
}

void require_first(const Config& config) {
  if (!is_follower(config)) return;
  throw UsageError(
      "a session is of process 0 of a job, and this is another one: it takes part by "
      "grappa::serve; "
      "with mpi none (GRAPPA_MPI=none) each process has a session of its own");
}

}  // namespace

namespace internal {

/// The run of a session, the thread that drives its core 0, and the calls that wait for it.
class SessionRun {
 public:
  SessionRun(const Config& config, const std::source_location& where) {
    notice_forks();
    forks_ = forks.load();
    thread_ = start_beside_program([this, config, where] { drive(config, where); });
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return doorbell_ != nullptr || failure_ != nullptr; });
    if (failure_ == nullptr) return;
    lock.unlock();
    thread_.join();
    std::rethrow_exception(failure_);
  }

  ~SessionRun() {
    {
      const std::lock_guard lock(mutex_);
      ends_ = true;
      doorbell_->ring();  // before the run can end, and its doorbell with it
    }
    thread_.join();
    if (failure_ != nullptr) log_warning("a session ended: {}", describe_exception(failure_));
  }

  SessionRun(const SessionRun&) = delete;
  SessionRun& operator=(const SessionRun&) = delete;

  /// Whether this process is a child of the one that has the threads.
  bool is_elsewhere() const { return forks.load() != forks_; }

  void push(SessionJob& job) {
    {
      const std::lock_guard lock(mutex_);
      jobs_.push_back(&job);
    }
    doorbell_->ring();
  }

  bool wait(const SessionJob& job, std::uint64_t ns) {
    const std::uint64_t start = now_ns();
    while (!job.done_.load(std::memory_order_acquire)) {
      if (now_ns() - start < std::min(ns, kSpinNs)) {
        cpu_relax();
        continue;
      }
      std::unique_lock lock(mutex_);
      const auto is_done = [&job] { return job.done_.load(std::memory_order_relaxed); };
      if (ns < kLongestNs) return changed_.wait_for(lock, std::chrono::nanoseconds(ns), is_done);
      changed_.wait(lock, is_done);
    }
    return true;
  }

 private:
  void drive(const Config& config, const std::source_location& where) {
    std::exception_ptr failure;
    try {
      run(config, [this] { serve(); }, where);
    } catch (...) {
      failure = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    failure_ = failure;
    changed_.notify_all();
  }

  /// The run's first task.
  void serve() {
    Doorbell& doorbell = this_scheduler().doorbell();
    {
      const std::lock_guard lock(mutex_);
      doorbell_ = &doorbell;
      changed_.notify_all();
    }
    for (;;) {
      std::unique_lock lock(mutex_);
      if (jobs_.empty()) {
        if (ends_) return;
        lock.unlock();
        doorbell.wait();
        continue;
      }
      SessionJob& job = *jobs_.front();
      jobs_.pop_front();
      lock.unlock();
      job.execute();
      lock.lock();
      // From here on whoever waits for it may destroy it.
      job.done_.store(true, std::memory_order_release);
      changed_.notify_all();
    }
  }

  std::uint64_t forks_ = 0;  // of this process when it was made
  std::mutex mutex_;         // guards what follows
  std::condition_variable changed_;
  std::deque<SessionJob*> jobs_;
  Doorbell* doorbell_ = nullptr;  // once the run has begun
  bool ends_ = false;
  std::exception_ptr failure_;  // of the run itself
  std::thread thread_;
};

void SessionJob::execute() {
  const auto call = [this] {
    failure_ = call_whole([](void* job) { static_cast<SessionJob*>(job)->run_function(); }, this);
  };
  if (!cancellable_) return call();
  if (asked_.load()) {
    failure_ = std::make_exception_ptr(Cancelled());
    return;
  }
  const Cancellation cancellation(asked_);
  call();
  if (is_of_cancelling(failure_)) failure_ = std::make_exception_ptr(Cancelled());
}

void SessionJob::queue() { run_.push(*this); }

bool SessionJob::wait(std::uint64_t ns) { return run_.wait(*this, ns); }

void SessionJob::rethrow() {
  if (failure_ != nullptr) std::rethrow_exception(failure_);
}

}  // namespace internal

Session::Session(const Config& config, std::source_location where) {
  require_outside();
  require_first(config);
  run_ = std::make_unique<internal::SessionRun>(config, where);
}

Session::~Session() {
  if (!run_->is_elsewhere()) return;
  // In a child there is nobody to wait for.
  [[maybe_unused]] const internal::SessionRun* left = run_.release();
}

internal::SessionRun& Session::usable_run() const {
  require_outside();
  if (run_->is_elsewhere()) {
    throw UsageError(
        "a session was used in a process that was forked from its own, where its threads are not: "
        "open a session in the child, or start the child by exec (in Python: "
        "multiprocessing.get_context('spawn'))");
  }
  return *run_;
}

}  // namespace grappa
