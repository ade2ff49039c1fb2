#include "grappa/tasking/scheduler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <new>

#include "grappa/base/core_recorder.hpp"
#include "grappa/base/error.hpp"
#include "grappa/context/overflow.hpp"
#include "grappa/tasking/activity_scope.hpp"
#include "grappa/tasking/completion.hpp"
#include "grappa/tasking/coroutine.hpp"
#include "grappa/tasking/load_balancer.hpp"
#include "grappa/tasking/metrics.hpp"
#include "grappa/tasking/parker.hpp"
#include "grappa/tasking/prefetch_distance.hpp"
#include "grappa/tasking/range.hpp"

namespace grappa::internal {
namespace {

constexpr std::uint64_t kCoroutinesAhead = 8;  // whose frames are prefetched
// With fewer workers the tops of their stacks stay in the second cache, from where the processor
// has them in time by running ahead, and a prefetch would be in its way; unless the main context is
// busy, whose messages take room in the caches, too.
constexpr std::size_t kWorkersToPrefetch = 2048;
constexpr std::size_t kWorkersToPrefetchWhenBusy = 512;

}  // namespace

Scheduler::Scheduler(Core& core, const Config& config)
    : core_(core),
      ready_(config.prefetch_distance.value_or(0), &main_worker_, SwitchQuota::kMax),
      shuffle_(config.shuffle),
      measures_distance_(!config.prefetch_distance.has_value()),
      max_range_workers_(config.max_forall_workers),
      frames_(config.coroutine_bytes),
      classes_{WorkerClass(config.stack_bytes, config.stacks),
               WorkerClass(config.large_stack_bytes, config.stacks)},
      random_(static_cast<std::uint32_t>(config.simulation.seed * 7919 +
                                         static_cast<std::uint64_t>(core.id) + 1)),
      doorbell_(core) {
  check_canaries_ = class_of(StackClass::kNormal).stacks.has_canaries();
  main_worker_.state = WorkerState::kRunning;
  main_worker_.context = thread_context();
}

Scheduler::~Scheduler() {
  for (Worker* worker : workers_) {
    const Stack stack = worker->stack;
    StackPool& stacks = class_of(worker->stack_class).stacks;
    destroy_context(worker->context);
    worker->~Worker();
    stacks.release(stack);
  }
}

// ---- switching ----

void Scheduler::check_stack(const Worker& worker) const {
  const StackPool& stacks = classes_[static_cast<std::size_t>(worker.stack_class)].stacks;
  if (!stacks.intact(worker.stack))
    report_stack_overflow(describe_current().c_str(), stacks.stack_bytes(), stack_knob(worker));
}

void Scheduler::leave(Worker& self, Context& save) {
  if (ready_.empty() || (ready_.allowance_is_used() && main_is_wanted(true))) {
    leave_for_main(self, save);
    return;
  }
  if (check_canaries_) check_stack(self);
  const ReadyRing::Entry& next = ready_.pop();
  switch_carefully(save, next.context);
}

void Scheduler::leave_for_main(Worker& self, Context& save) {
  if (core_.recorder != nullptr) [[unlikely]]
    core_.recorder->name(self.task);
  if (check_canaries_) check_stack(self);
  ready_.set_running(&main_worker_);
  switch_carefully(save, main_worker_.context);
}

void Scheduler::switch_carefully(Context& save, const Context& context) {
  ExceptionState kept;
  const bool in_catch = !ExceptionState::idle(*exceptions_);
  if (in_catch) [[unlikely]]
    kept = ExceptionState::take(*exceptions_);
  switch_context(save, context);
  if (in_catch) [[unlikely]]
    ExceptionState::restore(*exceptions_, kept);
}

void Scheduler::yield_slowly() {
  if (!may_suspend()) fatal("yield inside a delegate: " + describe_current());
  if (shuffle_) ready_.shuffle_head(random_());
  if (ready_.empty()) {
    // An unsaved entry must not be taken before the switch has filled it in: with nobody else ready
    // the ring would hand us ourselves.
    if (main_is_wanted(true)) yield_to_main();
    return;
  }
  leave(current(), ready_.push_running());
}

// Renews the quotas when it says no.
bool Scheduler::main_is_wanted(bool for_new_work) {
  // In simulation time passes, and other cores have their turn, in the main context only.
  if (core_.balancer != nullptr || core_.shares_thread || core_.locale.virtual_clock != nullptr)
    return true;
  const std::uint64_t now = now_ns();
  if (now >= std::min(timers_.next(), system_.next()) || core_.pump->wants_poll() ||
      (for_new_work && has_new_work()) || !tasks_of(StackClass::kLarge).empty() ||
      report_.asked() || doorbell_.is_heard()) {
    return true;
  }
  count_pass(now);
  core_.set_hungry(false);
  renew_quotas(SwitchQuota::kMax);
  if (measures_distance_ && workers_.size() < kWorkersToPrefetch) ready_.set_distance(0);
  return false;
}

void Scheduler::count_pass(std::uint64_t now) {
  passes_.store(passes_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  if (core_.recorder != nullptr) [[unlikely]]
    count_tasks();
  time_ms_ = static_cast<std::uint32_t>(now / 1'000'000);
  // A deterministic run must not depend on the time.
  if (core_.locale.virtual_clock != nullptr) {
    quota_.set_greatest();
  } else if (const auto gap = quota_.look(now)) {
    kPassGap.record_to(*core_.metrics, *gap);
  }
}

void Scheduler::renew_quotas(int most) {
  ready_.allow(static_cast<std::size_t>(quota_.renew(most)));
}

void Scheduler::yield_to_main() {
  if (!may_suspend()) fatal("yield inside a delegate: " + describe_current());
  leave_for_main(current(), ready_.push_running());
}

void Scheduler::poll_between_units() {
  // A deterministic run must not depend on the time.
  if (core_.locale.virtual_clock == nullptr) units_.adapt(now_ns());
  units_.renew();
  yield_to_main();
}

void Scheduler::suspend_slowly(const char* why) {
  if (!may_suspend()) {
    fatal(fmt::format("a delegate would suspend ({}), which is not allowed: {}", why,
                      describe_current()));
  }
  Worker& self = current();
  self.state = WorkerState::kSuspended;
  self.waits_for = why;
  self.suspended_at_ms = time_ms_;
  kSuspensions.add_to(*core_.metrics);
  if (shuffle_) ready_.shuffle_head(random_());
  leave(self, self.context);
}

void Scheduler::wake_after(std::uint64_t ns, Suspended sleeper) {
  // Half of all numbers: more than 292 years, and the clock does not overflow.
  if (ns > std::numeric_limits<std::int64_t>::max())
    throw UsageError(
        fmt::format("sleep_for: a negative time of {} ns", static_cast<std::int64_t>(ns)));
  timers_.push({core_.now() + ns, 0, nullptr, sleeper});
}

void Scheduler::sleep_for(std::uint64_t ns) {
  wake_after(ns, &current());
  suspend("sleep");
}

// To the worker that is said to be running.
void Scheduler::switch_from_main(const Context& context) {
  renew_quotas(kQuotaAfterMain);
  if (measures_distance_ && workers_.size() >= kWorkersToPrefetchWhenBusy)
    ready_.set_distance(measured_prefetch_distance());
  inside_ = 0;
  gate_ = shuffle_ || check_canaries_ ? kClosed : exceptions_;
  if (core_.recorder != nullptr) [[unlikely]]
    core_.recorder->enter(Activity::kProgram);
  switch_context(main_worker_.context, context);
  if (core_.recorder != nullptr) [[unlikely]]
    core_.recorder->enter(Activity::kScheduling);
  gate_ = kClosed;
  inside_ = 1;
}

// ---- workers ----

Worker* Scheduler::create_worker(StackClass stack_class) {
  const Stack stack = class_of(stack_class).stacks.allocate();
  // Colored, so that the headers and stack tops of many workers do not share cache sets.
  auto* high = static_cast<std::byte*>(stack.low) + stack.bytes - stack_color(stack.index);
  auto* place = reinterpret_cast<std::byte*>(
      reinterpret_cast<std::uintptr_t>(high - sizeof(Worker)) & ~std::uintptr_t{63});
  auto* worker = new (place) Worker;
  worker->stack = stack;
  worker->stack_class = stack_class;
  worker->context =
      make_context(stack.low, static_cast<std::size_t>(place - static_cast<std::byte*>(stack.low)),
                   &Scheduler::worker_entry, worker);
  workers_.push_back(worker);
  ready_.reserve(workers_.size() + 1);
  kWorkersCreated.add_to(*core_.metrics);
  return worker;
}

Worker* Scheduler::idle_worker(StackClass stack_class) {
  std::vector<Worker*>& idle = class_of(stack_class).idle;
  if (idle.empty()) return create_worker(stack_class);
  Worker* worker = idle.back();
  idle.pop_back();
  return worker;
}

void Scheduler::worker_entry(void* worker) {
  try {
    this_scheduler().worker_loop(*static_cast<Worker*>(worker));
  } catch (...) {
    // Tasks keep theirs: this one came of what the runtime does for them.
    fatal_exception();
  }
}

void Scheduler::worker_loop(Worker& self) {
  for (;;) {
    // Workers that are ready go first: they hold stacks, and what they wait for has come.
    while (run_next(self)) {
      if (!ready_.empty() || (quota_.tasks_are_used() && main_is_wanted(false))) break;
    }
    self.state = WorkerState::kIdle;
    class_of(self.stack_class).idle.push_back(&self);
    leave(self, self.context);
  }
}

bool Scheduler::run_next(Worker& self) {
  self.state = WorkerState::kRunning;
  if (!resumable_.empty()) {
    run_coroutines(self);
    return true;
  }
  Ring<Task>& tasks = tasks_of(self.stack_class);
  if (!tasks.empty()) {
    run_private(self, tasks);
    return true;
  }
  if (self.stack_class != StackClass::kNormal) return false;
  if (public_.size_hint() > 0) return run_public(self);
  if (RangeDescriptor* range = runnable_range()) {
    run_range(self, *range);
    return true;
  }
  return false;
}

// Whether the worker goes on with a task of the same kind, which it need not look for.
bool Scheduler::may_run_another() {
  return quota_.task_has_run() && ready_.empty() && resumable_.empty();
}

void Scheduler::has_run(Worker& self) { self.scope = nullptr; }

void Scheduler::run_coroutines(Worker& self) {
  self.task = &typeid(Coroutine<>);
  // Others may come in between, when a coroutine suspends this worker.
  do {
    // The frame's first lines: how to go on, and as a rule what was waited for. A number, because
    // an entry that was never used leads nowhere.
    const auto later = reinterpret_cast<std::uintptr_t>(
        resumable_.ahead(kCoroutinesAhead * sizeof(Resumption)).handle.address());
    __builtin_prefetch(reinterpret_cast<const void*>(later));
    __builtin_prefetch(reinterpret_cast<const void*>(later + 64));
    const Resumption next = resumable_.pop();
    self.scope = next.scope;
    next.handle.resume();
  } while (quota_.task_has_run() && !resumable_.empty());
  has_run(self);
}

void Scheduler::run_private(Worker& self, Ring<Task>& tasks) {
  do {
    run_task(self, tasks.pop());
  } while (may_run_another() && !tasks.empty());
  has_run(self);
}

// False when the next task needs a worker of another class.
bool Scheduler::run_public(Worker& self) {
  const Ring<Task>& tasks = tasks_of(StackClass::kNormal);
  do {
    Task* slot = public_.pop();
    if (slot == nullptr) break;
    // The deque may have let go of tasks that it kept from thieves.
    if (core_.locale.parked_threads.load(std::memory_order_seq_cst) != 0 && public_.size_hint() > 0)
      invite_thieves();
    count_here(*slot);  // may switch tasks, so the slot is still ours
    task_slots_.put(slot);
    if (slot->type->stack != self.stack_class) {
      push_private(*slot);
      has_run(self);
      return false;
    }
    run_task(self, *slot);
  } while (may_run_another() && tasks.empty());
  has_run(self);
  return true;
}

// The task's place may be used for another one while its closure runs.
inline void Scheduler::run_task(Worker& self, const Task& task) {
  CompletionShare* scope = task.scope;
  self.scope = scope;
  self.task = task.type->closure;
  kTasksRun.add_to(*core_.metrics);
  try {
    task.type->run(task.storage);
  } catch (...) {
    core_.ledger->report(*scope, std::current_exception());
  }
  core_.ledger->finish(*scope);
}

void Scheduler::run_range(Worker& self, RangeDescriptor& range) {
  self.scope = range.scope;
  self.task = range.type->closure;
  ++range_workers_;
  range.type->run(range);
  --range_workers_;
  quota_.task_has_run();
  has_run(self);
}

// ---- new work ----

void Scheduler::push_public(const Task& task) {
  Task* slot = task_slots_.take();
  *slot = task;
  // Thieves may not follow pointers into this core's ledger: they learn the event by its id.
  slot->event = task.scope->id;
  slot->scope = CountedScope(task.scope, core_.id).packed();
  public_.push(slot);
  if (core_.locale.parked_threads.load(std::memory_order_seq_cst) != 0) invite_thieves();
}

RangeDescriptor* Scheduler::runnable_range() {
  return core_.ranges->find(range_workers_ >= max_range_workers_);
}

bool Scheduler::has_new_work() {
  return !resumable_.empty() || !tasks_of(StackClass::kNormal).empty() ||
         !tasks_of(StackClass::kLarge).empty() || public_.size_hint() > 0 ||
         runnable_range() != nullptr;
}

bool Scheduler::has_local_work() { return !ready_.empty() || has_new_work(); }

// ---- the main context ----

void Scheduler::add_system_task(std::uint64_t period_ns, void (*run)(Core&)) {
  system_.push({core_.now() + period_ns, period_ns, run, {}});
}

void Scheduler::remove_idle_hook(const void* argument) {
  std::erase_if(idle_hooks_,
                [argument](const IdleHook& hook) { return hook.argument == argument; });
}

bool Scheduler::run_idle_hooks() {
  const LookScope scope(core_, Activity::kAggregation);
  bool progress = false;
  for (const IdleHook& hook : idle_hooks_) progress |= hook.run(hook.argument);
  return progress;
}

void Scheduler::run_due(std::uint64_t now) {
  while (timers_.next() <= now) wake(timers_.pop().sleeper);
  while (system_.next() <= now) {
    DeadlineQueue::Entry entry = system_.pop();
    kSystemTaskDelay.record_to(*core_.metrics, now - entry.deadline);
    entry.run(core_);
    entry.deadline = now + std::max<std::uint64_t>(entry.period, 1);
    system_.push(entry);
  }
}

bool Scheduler::proceed(bool polled) {
  exceptions_ = &ExceptionState::of_this_thread();
  const std::uint64_t now = core_.now();
  count_pass(now);
  run_due(now);
  if (report_.asked()) [[unlikely]]
    report_.answer([this] { return describe_tasks(); });
  if (doorbell_.is_heard()) [[unlikely]]
    wake(doorbell_.take_waiter());
  const bool ran = run_ready();
  const bool offered = core_.balancer != nullptr && core_.balancer->offer();
  if (polled || ran || offered) return true;
  quota_.forget_look();
  return false;
}

bool Scheduler::run_ready() {
  // Alternate between ready workers and new tasks while there are both.
  prefer_new_ = !prefer_new_;
  if ((prefer_new_ || ready_.empty()) && has_new_work()) {
    // Both classes in turn; a normal one that finds nothing comes back at once.
    large_turn_ = !large_turn_ && !tasks_of(StackClass::kLarge).empty();
    Worker* worker = idle_worker(large_turn_ ? StackClass::kLarge : StackClass::kNormal);
    ready_.set_running(worker);
    switch_from_main(worker->context);
  } else if (!ready_.empty()) {
    if (shuffle_) ready_.shuffle_head(random_());
    switch_from_main(ready_.pop().context);
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
  steal_backoff_.reset();
  // What was just sent is waited for by somebody, perhaps by all that this core could go on with.
  if (!has_local_work() && !core_.pump->has_arrivals()) core_.pump->flush();
}

}  // namespace grappa::internal
