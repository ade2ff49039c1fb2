// What a scheduler does to take work from other cores, and to give work to other locales.

#include <algorithm>
#include <array>

#include "grappa/base/core_recorder.hpp"
#include "grappa/tasking/completion.hpp"
#include "grappa/tasking/load_balancer.hpp"
#include "grappa/tasking/metrics.hpp"
#include "grappa/tasking/range.hpp"
#include "grappa/tasking/scheduler.hpp"

namespace grappa::internal {
void Scheduler::invite_thieves() {
  if (core_.locale.parked_threads.load(std::memory_order_seq_cst) == 0) return;
  for (auto& other : core_.locale.cores) {
    if (other.get() != &core_) other->wake_thread();
  }
}

bool Scheduler::steal() {
  const int cores = core_.locale.cores_each;
  if (cores == 1) return false;
  const int start = static_cast<int>(random_() % static_cast<std::uint32_t>(cores));
  for (int i = 0; i < cores; ++i) {
    Core& victim = *core_.locale.cores[static_cast<std::size_t>((start + i) % cores)];
    if (&victim == &core_) continue;
    // No more than this core may begin: what it took would only wait here.
    if (range_workers_ < max_range_workers_ && core_.ranges->steal_from(victim)) return true;
    if (steal_tasks(victim)) return true;
  }
  return false;
}

// All but the oldest task, which this core runs itself, stay counted where they are until they run,
// so that taking many is as quick as taking their pointers. (If that one could be taken away again,
// idle cores might hand a lone task round for ever.) The slots belong to this core's pool from now
// on.
bool Scheduler::steal_tasks(Core& victim) {
  std::array<Task*, kMaxStolen> loot;
  const std::uint32_t count = victim.scheduler->public_.steal(loot.data(), kMaxStolen);
  if (count == 0) return false;
  Task mine = *loot[0];
  task_slots_.put(loot[0]);
  count_here(mine);
  push_private(mine);
  kSteals.add_to(*core_.metrics);
  kTasksStolen.add_to(*core_.metrics, count);
  if (core_.recorder != nullptr) core_.recorder->note(TraceKind::kSteal, "tasks", victim.id, count);
  if (count > 1) {
    public_.push_all(loot.data() + 1, count - 1);
    invite_thieves();
  }
  return true;
}

void Scheduler::count_here(Task& task) {
  const CountedScope counted = CountedScope::of(task);
  if (counted.core() == core_.id) {
    task.scope = counted.scope();
    return;
  }
  CompletionShare& share = core_.ledger->begin_adoption(task.event);
  core_.ledger->adopted_task(share, counted.core());
  task.scope = &share;
}

bool Scheduler::seek_work() {
  if (steal_backoff_.is_time()) {
    if (steal()) {
      steal_backoff_.succeeded();
      return true;
    }
    steal_backoff_.failed();
  }
  if (core_.balancer == nullptr) return false;
  if (idle_since_ == 0) idle_since_ = core_.now();
  // What it took could only wait here.
  return range_workers_ < max_range_workers_ && core_.balancer->ask(idle_since_);
}

std::uint64_t Scheduler::next_balancing() const {
  if (core_.balancer == nullptr) return kNoDeadline;
  return core_.balancer->next_action(range_workers_ < max_range_workers_ ? idle_since_ : 0);
}

std::int64_t Scheduler::send_public(int to, std::int64_t most) {
  std::int64_t sent = 0;
  while (sent < most) {
    Task* slot = nullptr;
    if (public_.steal(&slot, 1) == 0) break;
    count_here(*slot);
    // The message is counted before its task is taken off here.
    slot->type->send(core_, to, *slot);
    core_.ledger->finish(*slot->scope);
    task_slots_.put(slot);
    ++sent;
  }
  return sent;
}

}  // namespace grappa::internal
