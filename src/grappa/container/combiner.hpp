#pragma once

// Combining: the requests of one core's tasks for one object meet before they travel.
//
// Flat combining for global data structures (B. Holt, J. Nelson, B. Myers, P. Briggs, L. Ceze,
// S. Kahan, M. Oskin, "Flat combining synchronized global data structures", PGAS 2013): a task that
// wants something of a shared object puts its request into the batch that gathers at its core. If
// nobody leads there, it leads: it takes the whole batch, runs it at the object's home, by ordinary
// delegates, and hands each request its result; the others sleep meanwhile. What has gathered by
// then is the next batch, which one of those who wait in it leads. So one batch of a core and
// object is under way at a time, and the slower the way, the larger the batches.
//
// A batch runs after all its requests were made and before any of them returns, so any order that
// it runs them in is one that linearizes them, and so is any answer that it can give by itself (a
// push that meets a pop).
//
// Requests without an answer (async_) wait until somebody leads, until there are many of them, or
// until their core has nothing else to do. Each event that such requests belong to counts the batch
// as one piece of work.
//
// What a container provides is its Batch:
//   static constexpr std::size_t kMany;  // a weight at which it is worth its way
//   void run();                          // in a task: switches tasks; finishes its requests
//   std::size_t weight() const;          // how much has gathered; 0: nothing
//   CombinedRequest* first_waiting();    // one that can lead, or nullptr
//   void fail(const std::exception_ptr&);   // run() has thrown
//   void clear();
//
// All of it is for the tasks of one core. Config::combining switches it off: then containers send
// each request by itself.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <utility>
#include <vector>

#include "grappa/base/metrics.hpp"
#include "grappa/container/internal/span_call.hpp"
#include "grappa/parallel/global_memory.hpp"
#include "grappa/parallel/runtime.hpp"
#include "grappa/parallel/spawn.hpp"

namespace grappa::internal {

inline const metrics::Counter kCombinedBatches{"combining.batches",
                                               "batches of combined requests that were run"};
inline const metrics::Counter kCombinedRequests{"combining.requests",
                                                "requests in these batches, or what is left of "
                                                "them after some have met"};

/// What one task waits for, on its stack.
struct CombinedRequest {
  bool done = false;
  bool leads = false;
  Worker* sleeper = nullptr;  // while it sleeps
  std::exception_ptr error;

  void sleep() {
    Scheduler& scheduler = this_scheduler();
    sleeper = &scheduler.current();
    scheduler.suspend("a combined operation");
  }
  void wake() {
    if (sleeper != nullptr) this_scheduler().wake(std::exchange(sleeper, nullptr));
  }
  void finish() {
    done = true;
    wake();
  }
  void fail(const std::exception_ptr& why) {
    error = why;
    finish();
  }
};

/// The batches of one core for one object.
template <class Batch>
class Combiner {
 public:
  Combiner() = default;
  Combiner(const Combiner&) = delete;
  Combiner& operator=(const Combiner&) = delete;

  /// Where requests gather.
  Batch& gathering() { return slots_[gathering_].batch; }

  /// Both batches, before anything gathers.
  template <class Prepare>
  void prepare(const Prepare& prepare_batch) {
    for (Slot& slot : slots_) prepare_batch(slot.batch);
  }

  /// Nothing gathers and nothing is under way.
  bool idle() const { return !led_ && slots_[0].empty() && slots_[1].empty(); }

  /// For a request that its task has put into the gathering batch: waits for its answer.
  void wait(CombinedRequest& request) {
    if (led_) {
      request.sleep();  // until it is done, or its turn to lead has come
    } else {
      led_ = request.leads = true;
    }
    if (request.leads) {
      // The other tasks that are ready may want something, too.
      this_scheduler().yield();
      if (!request.done) run_gathered();
      hand_over();
    }
    while (!request.done) request.sleep();
    if (request.error != nullptr) std::rethrow_exception(request.error);
  }

  /// For a request without an answer that was put there. Switches tasks when there are too many.
  void post(CompletionShare* scope) {
    Slot& slot = slots_[gathering_];
    if (slot.scopes.empty() || slot.scopes.back() != scope) {
      here().ledger->add(*scope);
      slot.scopes.push_back(scope);
    }
    if (++posted_ >= kBetweenPolls) [[unlikely]]
      relieve();
  }

  /// For the core's idle hook: has what has gathered run. False when there was nothing to do.
  bool drain() {
    if (led_ || slots_[gathering_].empty()) return false;
    start_leader();
    return true;
  }

 private:
  static constexpr std::size_t kMany = Batch::kMany;
  static constexpr std::size_t kTooMany = 16 * kMany;
  static constexpr std::size_t kBetweenPolls = std::min<std::size_t>(kMany, 1024);

  struct Slot {
    Batch batch;
    std::vector<CompletionShare*> scopes;  // of requests without an answer

    /// Not even answered requests are left that somebody has to be told of.
    bool empty() const { return batch.weight() == 0 && scopes.empty(); }
  };

  void run_gathered() {
    Slot& slot = slots_[gathering_];
    gathering_ ^= 1;
    for (Worker* worker : std::exchange(stalled_, {})) this_scheduler().wake(worker);
    MetricsBlock& metrics = *here().metrics;
    kCombinedBatches.add_to(metrics);
    kCombinedRequests.add_to(metrics, slot.batch.weight());
    std::exception_ptr error;
    try {
      if (slot.batch.weight() != 0) slot.batch.run();
    } catch (...) {
      error = std::current_exception();
    }
    if (error != nullptr) slot.batch.fail(error);
    slot.batch.clear();
    Ledger& ledger = *here().ledger;
    for (CompletionShare* scope : slot.scopes) {
      if (error != nullptr) ledger.report(*scope, error);
      ledger.finish(*scope);
    }
    slot.scopes.clear();
  }

  void hand_over() {
    Batch& next = gathering();
    if (CombinedRequest* leader = next.first_waiting()) {
      leader->leads = true;
      leader->wake();
    } else if (next.weight() >= kMany) {
      start_leader();
    } else {
      led_ = false;
    }
  }

  /// A task that leads, for requests that nobody waits for.
  void start_leader() {
    led_ = true;
    spawn_here(slots_[gathering_].scopes.front(), [this] {
      run_gathered();
      hand_over();
    });
  }

  void relieve() {
    posted_ = 0;
    Scheduler& scheduler = this_scheduler();
    if (!led_ && gathering().weight() >= kMany) {
      start_leader();
      if (scheduler.may_suspend()) scheduler.yield_to_main();  // which starts it
    }
    // A core that has nothing else to do sends at once, and is sent to, what leaders wait for.
    while (led_ && gathering().weight() >= kTooMany && scheduler.may_suspend()) {
      stalled_.push_back(&scheduler.current());
      scheduler.suspend("room for a combined operation");
    }
  }

  std::array<Slot, 2> slots_;
  std::size_t gathering_ = 0;
  bool led_ = false;              // somebody leads, or was told to
  std::size_t posted_ = 0;        // since relieve()
  std::vector<Worker*> stalled_;  // until the next batch begins
};

/// Whether this run combines.
inline bool combining() { return here().locale.config.combining; }

/// Of an object with a State on every core and a home: what its handle consists of. A State has a
/// member `combiner`, and `attach(const CombinedObject&)`, which is called once, before it is used.
template <class State>
class CombinedObject {
 public:
  void create() {
    states_ = symmetric_alloc<State>();
    id_ = new_handle();
    register_handle(id_);
    home_ = static_cast<int>(id_.slot() % static_cast<std::size_t>(core_count()));
    on_all_cores([self = *this] {
      self.local().attach(self);
      this_scheduler().add_idle_hook(&drain_hook, &self.local());
    });
  }

  /// `what` is shown to people. UsageError while requests are pending.
  void destroy(const char* what) {
    require_live(what);
    on_all_cores([self = *this] {
      if (!self.local().combiner.idle()) {
        throw UsageError(
            "a container was destroyed while operations on it are pending; wait for the event that "
            "they belong to");
      }
    });
    retire_handle(id_, what);
    on_all_cores([self = *this] { this_scheduler().remove_idle_hook(&self.local()); });
    symmetric_free(states_);
    *this = CombinedObject();
    id_ = kDestroyedHandle;
  }

  void require_live(const char* what) const { internal::require_live(id_, what); }

  HandleId id() const { return id_; }
  State& local() const { return states_.local(); }
  GlobalAddress<State> on(int core) const { return states_.on(core); }
  int home() const { return home_; }
  bool is_home() const { return home_ == here().id; }
  GlobalAddress<State> at_home() const { return states_.on(home_); }
  const SymmetricAddress<State>& states() const { return states_; }

 private:
  static bool drain_hook(void* state) { return static_cast<State*>(state)->combiner.drain(); }

  SymmetricAddress<State> states_;
  HandleId id_;
  int home_ = 0;
};

}  // namespace grappa::internal
