// What a scheduler tells people: who runs, and who waits for what.

#include <fmt/format.h>

#include <algorithm>

#include "grappa/base/core_recorder.hpp"
#include "grappa/base/error.hpp"
#include "grappa/tasking/coroutine.hpp"
#include "grappa/tasking/scheduler.hpp"

namespace grappa {
namespace {

std::string task_name(const std::type_info* closure) {
  return closure == nullptr ? "no task" : demangled_type_name(*closure);
}

/// Calls visit(promise) for each coroutine that waits. (Frames too large for the pool's slabs are
/// not looked at.)
template <class Visit>
void for_each_waiting(const FramePool& frames, const Visit& visit) {
  frames.for_each_slot([&](std::byte* slot) {
    using Handle = std::coroutine_handle<internal::CoroutinePromise>;
    const internal::CoroutinePromise& promise = Handle::from_address(slot).promise();
    if (promise.waits_for() != nullptr) visit(promise);
  });
}

}  // namespace

std::string Scheduler::describe_current() {
  if (!inside_runtime()) return "no task";
  const Worker& worker = this_scheduler().current();
  return fmt::format("task {} on core {}", task_name(worker.task), here().id);
}

std::size_t Scheduler::suspended_tasks() const {
  std::size_t count = 0;
  for (const Worker* worker : workers_) count += worker->state == WorkerState::kSuspended;
  for_each_waiting(frames_, [&](const auto&) { ++count; });
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
  std::string text;
  std::size_t found = 0;
  const auto describe = [&](const std::string& name, const char* waits_for) {
    if (found++ < limit)
      text += fmt::format("  core {}: {} waits for {}\n", core_.id, name, waits_for);
  };
  for (const Worker* worker : workers_) {
    if (worker->state == WorkerState::kSuspended)
      describe(task_name(worker->task), worker->waits_for);
  }
  for_each_waiting(frames_, [&](const internal::CoroutinePromise& promise) {
    describe(fmt::format("coroutine {}", promise.function()), promise.waits_for());
  });
  if (found > limit) text += fmt::format("  core {}: and more\n", core_.id);
  return text;
}

}  // namespace grappa
