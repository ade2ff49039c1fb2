#pragma once

// Session: one run that goes on beside the program, which calls into it from any thread.
//
//   Session session;                                       // starts the run, on threads of its own
//   Owned<GlobalArray<double>> ranks;
//   session.call([&] { ranks = GlobalArray<double>::create(1'000'000); });
//   const double sum = session.call([&] { return reduce(*ranks, 0.0, std::plus<>()); });
//   session.call([&] { ranks.reset(); });                  // what lives in the run ends in it
//
//   SessionCall rounds(session, [&] { return compute(*ranks); });      // begun; goes on beside us
//   while (!rounds.wait_for(50'000'000)) {
//     if (user_has_had_enough()) rounds.cancel();
//   }
//   use(rounds.get());                                     // throws Cancelled, if it was
//
// What is called runs as a task on core 0, one call after the other in the order in which they
// come. As with `run`, a call returns when its function has returned and all that it has caused has
// finished; what the function throws comes out unchanged, and what only its tasks throw as
// RemoteError. Objects in global memory stay from call to call, and are gone with the session.
//
// An idle session sleeps, without a timer. Its threads hear no signals to the process, and the
// calling thread keeps its affinity. Tasks that wait for one another and for nothing else are a
// deadlock as in any run, and so is a call that waits for what a later call is to do.
//
// A child that is forked has none of the threads: there every use of the session is a UsageError,
// and its end does nothing.
//
// In a job of several processes, process 0 has the session, one at a time; the others serve it:
//   if (is_follower()) return serve();
//   { Session session; … }
//   end_job(0);
//
// Thread safety: all functions of a Session but the destructor, and all of a SessionCall but get()
// and the destructor, may be called from any threads at a time; not inside a run, on the threads
// that drive its cores (UsageError).

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <source_location>
#include <type_traits>
#include <utility>

#include "grappa/base/config.hpp"

namespace grappa {

namespace internal {

class SessionRun;

/// A call, from when it is queued until it is done. Its maker keeps it in its place.
class SessionJob {
 public:
  SessionJob(const SessionJob&) = delete;
  SessionJob& operator=(const SessionJob&) = delete;

  /// On core 0: runs it. What it throws is kept.
  void execute();

 protected:
  /// May it be cancelled? That costs a little, with several locales more.
  SessionJob(SessionRun& run, bool cancellable) : run_(run), cancellable_(cancellable) {}
  ~SessionJob() = default;

  void queue();
  bool wait(std::uint64_t ns);
  void cancel() noexcept { asked_.store(true); }
  void rethrow();

  static constexpr std::uint64_t kForever = UINT64_MAX;

 private:
  friend SessionRun;
  virtual void run_function() = 0;

  SessionRun& run_;
  const bool cancellable_;
  std::atomic<bool> asked_{false};  // to end before it is done
  std::atomic<bool> done_{false};
  std::exception_ptr failure_;
};

}  // namespace internal

template <class F>
class SessionCall;

class Session {
 public:
  /// Starts the run. UsageError for a configuration that does not work, inside a run, and in
  /// another process of a job than the first.
  explicit Session(const Config& config = Config{}.with_environment(),
                   std::source_location where = std::source_location::current());
  /// Ends the run, after the calls that have been queued.
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Runs f() in the run, waits for it, and returns what it returns. Blocks the thread.
  template <class F>
  std::invoke_result_t<F&> call(F&& f) {
    return SessionCall<std::remove_reference_t<F>&>(*this, f, false).get();
  }

 private:
  template <class F>
  friend class SessionCall;

  internal::SessionRun& usable_run() const;

  std::unique_ptr<internal::SessionRun> run_;
};

/// A call of f() that can be waited for and cancelled. It begins when it is made, and is waited for
/// by its destructor.
template <class F>
class SessionCall : private internal::SessionJob {
 public:
  using Result = std::invoke_result_t<F&>;
  static_assert(!std::is_reference_v<Result>,
                "grappa: what is called in a session returns a value, not a reference");

  SessionCall(Session& session, F f) : SessionCall(session, std::forward<F>(f), true) {}
  ~SessionCall() { wait(kForever); }

  /// Whether it is done, after at most so many nanoseconds. Blocks the thread.
  bool wait_for(std::uint64_t ns) { return wait(ns); }
  /// Asks it to end before it is done: it does at its next cancellation point, if it meets one. One
  /// that has not begun does not begin. A signal handler may call it, too.
  void cancel() noexcept { SessionJob::cancel(); }
  /// Waits for what f() returns, or throws what it throws. Once.
  Result get() {
    wait(kForever);
    rethrow();
    if constexpr (!std::is_void_v<Result>) return std::move(*result_);
  }

 private:
  friend Session;
  SessionCall(Session& session, F f, bool cancellable)
      : SessionJob(session.usable_run(), cancellable), f_(std::forward<F>(f)) {
    queue();
  }

  void run_function() override {
    if constexpr (std::is_void_v<Result>) {
      f_();
    } else {
      result_.emplace(f_());
    }
  }

  struct Nothing {};
  F f_;
  std::optional<std::conditional_t<std::is_void_v<Result>, Nothing, Result>> result_;
};

}  // namespace grappa
