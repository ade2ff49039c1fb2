// What a scheduler tells people: who runs, and who waits for what.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "grappa/base/clock.hpp"
#include "grappa/base/closure_names.hpp"
#include "grappa/base/core_recorder.hpp"
#include "grappa/base/error.hpp"
#include "grappa/tasking/completion.hpp"
#include "grappa/tasking/coroutine.hpp"
#include "grappa/tasking/scheduler.hpp"

namespace grappa::internal {
namespace {

constexpr std::uint64_t kMillisecond = 1'000'000;
constexpr std::size_t kMaxKinds = 16;  // lines for a core

std::string task_name(const std::type_info* closure) {
  return closure == nullptr ? "no task" : closure_name(*closure);
}

/// Calls visit(promise, frame) for each coroutine. (Frames too large for the pool's slabs are not
/// looked at.)
template <class Visit>
void for_each_coroutine(const FramePool& frames, const Visit& visit) {
  frames.for_each_slot([&](std::byte* slot) {
    using Handle = std::coroutine_handle<CoroutinePromise>;
    const CoroutinePromise& promise = Handle::from_address(slot).promise();
    if (promise.function() != nullptr) visit(promise, slot);
  });
}

/// Tasks of a core by what they run and what they wait for (nullptr: nothing).
class TaskKinds {
 public:
  void add_worker(const Worker& worker, const char* waits_for) {
    add({worker.task, waits_for}, worker.suspended_at_ms, [&] { return task_name(worker.task); });
  }
  void add_coroutine(const CoroutinePromise& promise) {
    Kind& kind = add({promise.function(), promise.waits_for()}, promise.suspended_at_ms(),
                     [&] { return std::string(promise.function()); });
    kind.are_coroutines = true;
  }

  /// A line for each kind, those with most tasks first.
  std::string describe(int core, std::size_t limit, std::uint32_t now_ms) const {
    std::vector<const Kinds::value_type*> sorted;
    for (const Kinds::value_type& entry : kinds_) sorted.push_back(&entry);
    std::sort(sorted.begin(), sorted.end(), [](const auto* a, const auto* b) {
      return std::tie(b->second.tasks, a->second.name) < std::tie(a->second.tasks, b->second.name);
    });
    std::string text;
    for (std::size_t i = 0; i < std::min(limit, sorted.size()); ++i)
      text += fmt::format("  core {}: {}\n", core,
                          sorted[i]->second.describe(sorted[i]->first.second, now_ms));
    if (sorted.size() > limit)
      text += fmt::format("  core {}: and {} more kinds\n", core, sorted.size() - limit);
    return text;
  }

 private:
  using Key = std::pair<const void*, const char*>;
  struct Kind {
    std::string name;
    std::uint64_t tasks = 0;
    std::uint32_t since_ms = 0;  // of the oldest
    bool are_coroutines = false;

    std::string describe(const char* waits_for, std::uint32_t now_ms) const {
      const bool one = tasks == 1;
      std::string text =
          one ? fmt::format("{}{}", are_coroutines ? "coroutine " : "", name)
              : fmt::format("{} {} {}", tasks, are_coroutines ? "coroutines" : "tasks of", name);
      if (waits_for == nullptr) return text + (one ? " is ready" : " are ready");
      const double seconds = static_cast<double>(now_ms - since_ms) * 1e-3;
      return text + fmt::format(" {} for {}, {}for about {:.1f} s", one ? "waits" : "wait",
                                waits_for, one ? "" : "the oldest ", seconds);
    }
  };
  using Kinds = std::map<Key, Kind>;

  template <class Name>
  Kind& add(const Key& key, std::uint32_t since_ms, const Name& name) {
    Kind& kind = kinds_[key];
    if (kind.tasks++ == 0) {
      kind.name = name();
      kind.since_ms = since_ms;
    } else if (static_cast<std::int32_t>(since_ms - kind.since_ms) <
               0) {  // the number wraps around
      kind.since_ms = since_ms;
    }
    return kind;
  }

  Kinds kinds_;
};

}  // namespace

std::string Scheduler::describe_current() {
  if (!inside_runtime()) return "no task";
  const Worker& worker = this_scheduler().current();
  return fmt::format("task {} on core {}", task_name(worker.task), here().id);
}

/// Calls worker(w) and coroutine(promise) for all that wait. What has been woken is not counted.
template <class OnWorker, class OnCoroutine>
void Scheduler::for_each_suspended(const OnWorker& on_worker,
                                   const OnCoroutine& on_coroutine) const {
  for (const Worker* worker : workers_) {
    if (worker->state == WorkerState::kSuspended) on_worker(*worker);
  }
  std::vector<const void*> ready;
  for (std::size_t i = 0; i < resumable_.size(); ++i)
    ready.push_back(resumable_.ahead(i * sizeof(Resumption)).handle.address());
  std::sort(ready.begin(), ready.end());
  // That waits, or has waited and is ready.
  for_each_coroutine(frames_, [&](const CoroutinePromise& promise, const void* frame) {
    if (promise.waits_for() != nullptr && !std::binary_search(ready.begin(), ready.end(), frame))
      on_coroutine(promise);
  });
}

void Scheduler::require_no_coroutines() const {
  if (frames_.in_use() == 0) return;
  const char* one = "a large one";
  for_each_coroutine(
      frames_, [&](const CoroutinePromise& promise, const void*) { one = promise.function(); });
  fatal(
      fmt::format("core {}: coroutines are left at the end of the run ({}), such as {}: spawn or "
                  "await each, or destroy it inside the run",
                  core_.id, frames_.in_use(), one));
}

std::size_t Scheduler::suspended_tasks() const {
  std::size_t count = 0;
  for_each_suspended([&](const auto&) { ++count; }, [&](const auto&) { ++count; });
  return count;
}

void Scheduler::count_tasks() {
  std::size_t workers = workers_.size();
  for (const WorkerClass& of_class : classes_) workers -= of_class.idle.size();
  const std::size_t tasks = workers + frames_.in_use();
  // One of them may be running now.
  const std::size_t active = ready_.size() + resumable_.size() + (&current() != &main_worker_);
  core_.recorder->count_tasks(tasks, tasks - std::min(tasks, active));
  if (core_.recorder->counters_due()) record_counters();
}

void Scheduler::record_counters() {
  if (core_.recorder == nullptr || !core_.recorder->has_events()) return;
  const MessagePump::Traffic traffic = core_.pump->traffic();
  core_.recorder->keep_counters(traffic.messages, traffic.bytes);
}

std::string Scheduler::describe_suspended(std::size_t limit) const {
  TaskKinds kinds;
  for_each_suspended([&](const Worker& worker) { kinds.add_worker(worker, worker.waits_for); },
                     [&](const CoroutinePromise& promise) { kinds.add_coroutine(promise); });
  return core_.ledger->describe_errors(limit) +
         kinds.describe(core_.id, limit, static_cast<std::uint32_t>(core_.now() / kMillisecond));
}

// In a pass all tasks that have begun and do not wait are ready; one of them has just run.
std::string Scheduler::describe_tasks() const {
  TaskKinds ready;
  for (const Worker* worker : workers_) {
    if (worker->state == WorkerState::kRunning || worker->state == WorkerState::kReady)
      ready.add_worker(*worker, nullptr);
  }
  std::size_t queued = static_cast<std::size_t>(std::max<std::int64_t>(0, public_.size_hint()));
  for (const WorkerClass& one : classes_) queued += one.tasks.size();
  return fmt::format("core {}: tasks: {} ready, {} not begun, {} suspended\n", core_.id,
                     ready_.size() + resumable_.size(), queued, suspended_tasks()) +
         ready.describe(core_.id, kMaxKinds, 0) + describe_suspended(kMaxKinds);
}

}  // namespace grappa::internal
