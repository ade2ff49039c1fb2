// What a scheduler tells people: who runs, and who waits for what.

#include <fmt/format.h>

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
