#include "grappa/tasking/scheduler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>

#include "grappa/base/error.hpp"
#include "grappa/context/overflow.hpp"
#include "grappa/tasking/completion.hpp"
#include "grappa/tasking/load_balancer.hpp"
#include "grappa/tasking/metrics.hpp"
#include "grappa/tasking/parker.hpp"
#include "grappa/tasking/range.hpp"

namespace grappa {
namespace {

constexpr std::size_t kTaskSlab = 256;
constexpr std::uint64_t kUnitPollNs = 50'000;  // loops poll about this often
constexpr int kStepsPerClock = 4;              // passes between looks at the clock
constexpr unsigned kMaxStealWait = 256;

std::string task_name(const std::type_info* closure) {
  return closure == nullptr ? "no task" : demangled_type_name(*closure);
}

}  // namespace

Scheduler::Scheduler(Core& core, const Config& config)
    : core_(core),
      ready_(config.prefetch_distance),
      current_(&main_worker_),
      shuffle_(config.shuffle),
      max_range_workers_(config.max_forall_workers),
      random_(static_cast<std::uint32_t>(config.simulation.seed * 7919 +
                                         static_cast<std::uint64_t>(core.id) + 1)),
      stacks_(config.stack_bytes, config.stacks) {
  check_canaries_ = stacks_.has_canaries();
  main_worker_.state = WorkerState::kRunning;
  main_worker_.context = thread_context();
}

Scheduler::~Scheduler() {
  for (Worker* worker : workers_) {
    const Stack stack = worker->stack;
    destroy_context(worker->context);
    worker->~Worker();
    stacks_.release(stack);
  }
}

// ---- switching
// ------------------------------------------------------------------------------------

void Scheduler::check_stack(const Worker& worker) const {
  if (!stacks_.intact(worker.stack))
    report_stack_overflow(describe_current().c_str(), stacks_.stack_bytes());
}

void Scheduler::leave(Worker& self, Context& save) {
  if (check_canaries_) check_stack(self);
  ExceptionState kept;
  const bool in_catch = !ExceptionState::idle(*exceptions_);
  if (in_catch) [[unlikely]]
    kept = ExceptionState::take(*exceptions_);
  if (budget_ > 0 && !ready_.empty()) {
    --budget_;
    ReadyRing::Entry next = ready_.pop();
    current_ = next.worker;
    switch_context(save, next.context);
  } else {
    current_ = &main_worker_;
    switch_context(save, main_worker_.context);
  }
  if (in_catch) [[unlikely]]
    ExceptionState::restore(*exceptions_, kept);
}

void Scheduler::yield() {
  Worker& self = *current_;
  if (!may_suspend()) fatal("yield inside a delegate: " + describe_current());
  if (shuffle_) ready_.shuffle_head(random_());
  // An unsaved entry must not be taken before the switch has filled it in: with nobody else ready
  // the ring would hand us ourselves, so that case goes through the main context.
  if (ready_.empty()) {
    yield_to_main();
    return;
  }
  if (budget_ <= 0) {
    yield_to_main();
    return;
  }
  leave(self, ready_.push_running(&self));
}

void Scheduler::yield_to_main() {
  Worker& self = *current_;
  if (!may_suspend()) fatal("yield inside a delegate: " + describe_current());
  budget_ = 0;
  leave(self, ready_.push_running(&self));
}

void Scheduler::poll_between_units() {
  // A deterministic run must not depend on the time.
  if (core_.locale.virtual_clock == nullptr) {
    const std::uint64_t now = now_ns();
    unit_quota_ = now - last_unit_poll_ns_ > kUnitPollNs ? std::max(1, unit_quota_ / 2)
                                                         : std::min(kUnitsPerPoll, unit_quota_ * 2);
    last_unit_poll_ns_ = now;
  }
  unit_budget_ = unit_quota_;
  yield_to_main();
}

void Scheduler::suspend(const char* why) {
  if (!may_suspend()) {
    fatal(fmt::format("a delegate would suspend ({}), which is not allowed: {}", why,
                      describe_current()));
  }
  Worker& self = *current_;
  self.state = WorkerState::kSuspended;
  self.waits_for = why;
  kSuspensions.add_to(*core_.metrics);
  if (shuffle_) ready_.shuffle_head(random_());
  leave(self, self.context);
}

void Scheduler::sleep_for(std::uint64_t ns) {
  timers_.push({core_.now() + ns, 0, nullptr, current_});
  suspend("sleep");
}

void Scheduler::switch_from_main(Worker* worker, Context& context) {
  budget_ = kSwitchesPerPoll;
  current_ = worker;
  switch_context(main_worker_.context, context);
}

// ---- workers
// --------------------------------------------------------------------------------------

Worker* Scheduler::create_worker() {
  const Stack stack = stacks_.allocate();
  // Coloured, so that the headers and stack tops of many workers do not share cache sets.
  auto* high = static_cast<std::byte*>(stack.low) + stack.bytes - stack_colour(stack.index);
  auto* place = reinterpret_cast<std::byte*>(
      reinterpret_cast<std::uintptr_t>(high - sizeof(Worker)) & ~std::uintptr_t{63});
  auto* worker = new (place) Worker;
  worker->stack = stack;
  worker->context =
      make_context(stack.low, static_cast<std::size_t>(place - static_cast<std::byte*>(stack.low)),
                   &Scheduler::worker_entry, worker);
  workers_.push_back(worker);
  ready_.reserve(workers_.size() + 1);
  kWorkersCreated.add_to(*core_.metrics);
  return worker;
}

Worker* Scheduler::idle_worker() {
  if (idle_.empty()) return create_worker();
  Worker* worker = idle_.back();
  idle_.pop_back();
  return worker;
}

void Scheduler::worker_entry(void* worker) {
  try {
    here().scheduler->worker_loop(*static_cast<Worker*>(worker));
  } catch (...) {
    // Tasks keep theirs: this one came of what the runtime does for them.
    fatal_exception();
  }
}

void Scheduler::worker_loop(Worker& self) {
  for (;;) {
    // Workers that are ready go first: they hold stacks, and what they wait for has come.
    while (run_next(self)) {
      if (!ready_.empty() || --budget_ <= 0) break;
    }
    self.state = WorkerState::kIdle;
    idle_.push_back(&self);
    leave(self, self.context);
  }
}

bool Scheduler::run_next(Worker& self) {
  self.state = WorkerState::kRunning;
  if (!private_.empty()) {
    const Task task = private_.pop();
    run_task(self, task);
    return true;
  }
  if (Task* slot = public_.pop()) {
    const Task task = *slot;
    free_tasks_.push_back(slot);
    run_task(self, task);
    return true;
  }
  if (RangeDescriptor* range = runnable_range()) {
    run_range(self, *range);
    return true;
  }
  return false;
}

void Scheduler::run_task(Worker& self, const Task& task) {
  CompletionShare* scope = task.scope;
  self.scope = scope;
  self.task = task.type->closure;
  running_.store(self.task, std::memory_order_relaxed);
  kTasksRun.add_to(*core_.metrics);
  try {
    task.type->run(const_cast<std::byte*>(task.storage));
  } catch (...) {
    core_.ledger->report(*scope, std::current_exception());
  }
  running_.store(nullptr, std::memory_order_relaxed);
  core_.ledger->finish(*scope);
  self.scope = nullptr;
}

void Scheduler::run_range(Worker& self, RangeDescriptor& range) {
  self.scope = range.scope;
  self.task = range.type->closure;
  running_.store(self.task, std::memory_order_relaxed);
  ++range_workers_;
  range.type->run(range);
  running_.store(nullptr, std::memory_order_relaxed);
  --range_workers_;
  self.scope = nullptr;
}

// ---- new work
// ---------------------------------------------------------------------------------------

void Scheduler::push_public(const Task& task) {
  if (free_tasks_.empty()) {
    task_slabs_.push_back(std::make_unique<Task[]>(kTaskSlab));
    for (std::size_t i = 0; i < kTaskSlab; ++i) free_tasks_.push_back(&task_slabs_.back()[i]);
  }
  Task* slot = free_tasks_.back();
  free_tasks_.pop_back();
  *slot = task;
  // Thieves may not follow pointers into this core's ledger: they learn the event by its id.
  slot->reserved = task.scope->id;
  public_.push(slot);
  if (core_.locale.parked_threads.load(std::memory_order_seq_cst) != 0) invite_thieves();
}

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
    if (Task* stolen = victim.scheduler->public_.steal()) {
      // The slot now belongs to this core's pool.
      Task task = *stolen;
      free_tasks_.push_back(stolen);
      CompletionShare& scope = core_.ledger->begin_adoption(task.reserved);
      task.scope = &scope;
      core_.ledger->adopted_task(scope, victim.id);
      private_.push(task);
      kTasksStolen.add_to(*core_.metrics);
      return true;
    }
  }
  return false;
}

bool Scheduler::seek_work() {
  // Looking at other cores' queues slows them down, so look less and less often.
  if (steal_wait_ > 0) {
    --steal_wait_;
  } else if (steal()) {
    steal_failures_ = 0;
    return true;
  } else {
    steal_wait_ = std::min(kMaxStealWait, ++steal_failures_);
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
    Task* slot = public_.steal();
    if (slot == nullptr) break;
    // The message is counted before its task is taken off here.
    slot->type->send(core_, to, *slot);
    core_.ledger->finish(*slot->scope);
    free_tasks_.push_back(slot);
    ++sent;
  }
  return sent;
}

RangeDescriptor* Scheduler::runnable_range() {
  return core_.ranges->find(range_workers_ >= max_range_workers_);
}

bool Scheduler::has_new_work() {
  return !private_.empty() || public_.size_hint() > 0 || runnable_range() != nullptr;
}

bool Scheduler::has_local_work() { return !ready_.empty() || has_new_work(); }

// ---- the main context
// -------------------------------------------------------------------------------

void Scheduler::add_system_task(std::uint64_t period_ns, void (*run)(Core&)) {
  system_.push({core_.now() + period_ns, period_ns, run, nullptr});
}

void Scheduler::remove_idle_hook(const void* argument) {
  std::erase_if(idle_hooks_,
                [argument](const IdleHook& hook) { return hook.argument == argument; });
}

bool Scheduler::run_idle_hooks() {
  bool progress = false;
  for (const IdleHook& hook : idle_hooks_) progress |= hook.run(hook.argument);
  return progress;
}

void Scheduler::run_system_tasks() {
  const std::uint64_t now = core_.now();
  while (timers_.next() <= now) wake(timers_.pop().worker);
  while (system_.next() <= now) {
    DeadlineQueue::Entry entry = system_.pop();
    entry.run(core_);
    entry.deadline = now + std::max<std::uint64_t>(entry.period, 1);
    system_.push(entry);
  }
}

bool Scheduler::step() {
  exceptions_ = &ExceptionState::of_this_thread();
  passes_.store(passes_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  const bool polled = poll();
  const bool work = !ready_.empty() || has_new_work();
  if (++step_count_ >= kStepsPerClock || !work) {
    step_count_ = 0;
    run_system_tasks();
  }
  const bool ran = run_ready();
  const bool offered = core_.balancer != nullptr && core_.balancer->offer();
  return polled || ran || offered;
}

bool Scheduler::run_ready() {
  // Alternate between ready workers and new tasks while there are both.
  prefer_new_ = !prefer_new_;
  if ((prefer_new_ || ready_.empty()) && has_new_work()) {
    Worker* worker = idle_worker();
    switch_from_main(worker, worker->context);
  } else if (!ready_.empty()) {
    if (shuffle_) ready_.shuffle_head(random_());
    ReadyRing::Entry next = ready_.pop();
    switch_from_main(next.worker, next.context);
  } else {
    return false;
  }
  was_busy();
  return true;
}

bool Scheduler::poll() {
  if (!core_.pump->poll()) return false;
  was_busy();
  return true;
}

void Scheduler::was_busy() {
  idle_since_ = 0;
  steal_wait_ = steal_failures_ = 0;
  // What was just sent is waited for by somebody, perhaps by all that this core could go on with.
  if (!has_local_work() && !core_.pump->has_arrivals()) core_.pump->flush();
}

// ---- for people
// -------------------------------------------------------------------------------------

std::string Scheduler::describe_current() {
  if (!inside_runtime()) return "no task";
  const Worker& worker = here().scheduler->current();
  return fmt::format("task {} on core {}", task_name(worker.task), here().id);
}

std::size_t Scheduler::suspended_workers() const {
  std::size_t count = 0;
  for (const Worker* worker : workers_) count += worker->state == WorkerState::kSuspended;
  return count;
}

std::string Scheduler::describe_suspended(std::size_t limit) const {
  std::string text;
  std::size_t shown = 0;
  for (const Worker* worker : workers_) {
    if (worker->state != WorkerState::kSuspended) continue;
    if (shown++ == limit) {
      text += fmt::format("  core {}: and more\n", core_.id);
      break;
    }
    text += fmt::format("  core {}: {} waits for {}\n", core_.id, task_name(worker->task),
                        worker->waits_for);
  }
  return text;
}

}  // namespace grappa
