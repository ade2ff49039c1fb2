#include "grappa/parallel/lifeline_balancer.hpp"

#include <algorithm>

#include "grappa/base/core_recorder.hpp"
#include "grappa/base/metrics.hpp"
#include "grappa/message/aggregator.hpp"
#include "grappa/tasking/range.hpp"
#include "grappa/tasking/scheduler.hpp"

namespace grappa::internal {
namespace {

const metrics::Counter kTasksFromLocales{"steal.tasks", "tasks stolen from other locales"};
const metrics::Counter kUnitsFromLocales{"steal.units", "units of loops stolen from other locales"};
const metrics::Counter kRequests{"steal.requests", "times another locale was asked for work"};
const metrics::Counter kRefusals{"steal.refusals", "times it had none to spare"};
const metrics::Counter kWakes{"steal.wakes", "times a core that waits was told of work to spare"};

// Loops that were divided evenly end everywhere at nearly the same time: having nothing to do for a
// moment, or something to spare, is no reason to move work.
constexpr std::uint64_t kPatienceNs = 10'000;
constexpr std::uint64_t kMinWaitNs = 20'000;
constexpr std::uint64_t kMaxWaitNs = 20'000'000;
constexpr int kRandomTries = 2;
constexpr std::int64_t kMaxTasks = 256;  // in one answer

LifelineBalancer& balancer_of(const RunContext& context) {
  return static_cast<LifelineBalancer&>(*context.core.balancer);
}

struct StealRequest {
  std::int32_t thief;
  std::int16_t lifeline;
  bool forwarded;  // by another core of the locale that was asked
  void operator()(RunContext& context) const noexcept {
    balancer_of(context).requested(thief, lifeline, forwarded);
  }
};

struct StealAnswer {
  std::int32_t tasks;
  std::int32_t lifeline;
  std::int64_t units;
  void operator()(RunContext& context) const noexcept {
    balancer_of(context).answered(lifeline, tasks, units);
    if (context.core.recorder != nullptr && tasks + units > 0)
      context.core.recorder->note(TraceKind::kSteal, tasks > 0 ? "tasks" : "units of a loop",
                                  static_cast<std::uint64_t>(context.source), tasks + units);
  }
};

struct WakeThief {
  std::int32_t by;
  void operator()(RunContext& context) const noexcept { balancer_of(context).woken(by); }
};

template <class M>
void send_now(const Core& from, int to, const M& message) {
  from.messages->send(to, message, nullptr);
  from.messages->flush_to(to);
}

int lifelines_of(int locales) {
  int count = 0;
  while ((1 << count) < locales) ++count;
  return count;
}

}  // namespace

// ---- lifelines ----

Lifelines::Lifelines(const Locale& locale)
    : locale_(locale.id),
      locales_(locale.count),
      cores_each_(locale.cores_each),
      count_(lifelines_of(locale.count)),
      waiting_(count_ * cores_each_),
      registered_(static_cast<std::size_t>(count_ * cores_each_)) {
  for (auto& registered : registered_) registered.store(true, std::memory_order_relaxed);
}

void Lifelines::wait(int k, int core) {
  const auto slot = static_cast<std::size_t>(k * cores_each_ + core % cores_each_);
  if (!registered_[slot].exchange(true, std::memory_order_relaxed))
    waiting_.fetch_add(1, std::memory_order_relaxed);
}

int Lifelines::take() {
  for (std::size_t slot = 0; slot < registered_.size(); ++slot) {
    if (!registered_[slot].load(std::memory_order_relaxed) ||
        !registered_[slot].exchange(false, std::memory_order_relaxed)) {
      continue;
    }
    waiting_.fetch_sub(1, std::memory_order_relaxed);
    const int k = static_cast<int>(slot) / cores_each_;
    const int locale = (locale_ + locales_ - (1 << k)) % locales_;
    return locale * cores_each_ + static_cast<int>(slot) % cores_each_;
  }
  return -1;
}

// ---- wanting work ----

LifelineBalancer::LifelineBalancer(Core& core, Lifelines& lifelines)
    : core_(core),
      lifelines_(lifelines),
      random_(static_cast<std::uint32_t>(core.locale.config.simulation.seed * 104'729 +
                                         static_cast<std::uint64_t>(core.id) + 1)),
      random_tries_(kRandomTries),
      ask_wait_(kMinWaitNs),
      registered_(static_cast<std::size_t>(lifelines.count()), true),
      offer_wait_(kMinWaitNs) {}

int LifelineBalancer::unregistered() const {
  const auto found = std::find(registered_.begin(), registered_.end(), false);
  return found == registered_.end() ? kNoLifeline : static_cast<int>(found - registered_.begin());
}

int LifelineBalancer::lifeline_to(int core) const {
  int k = 0;
  while (lifelines_.target(k) != core / core_.locale.cores_each) ++k;
  return k;
}

int LifelineBalancer::random_victim() {
  const Locale& mine = core_.locale;
  const auto others = static_cast<std::uint32_t>((mine.count - 1) * mine.cores_each);
  const int victim = static_cast<int>(random_() % others);
  return victim < mine.first_core() ? victim : victim + mine.cores_each;
}

bool LifelineBalancer::may_ask() const {
  return !under_way_ &&
         (wakened_by_ >= 0 || random_tries_ < kRandomTries || unregistered() != kNoLifeline);
}

std::uint64_t LifelineBalancer::ask_due(std::uint64_t idle_since) const {
  return wakened_by_ >= 0 ? idle_since : std::max(next_ask_, idle_since + kPatienceNs);
}

bool LifelineBalancer::ask(std::uint64_t idle_since) {
  if (!may_ask() || core_.now() < ask_due(idle_since)) return false;
  int victim;
  int lifeline = kNoLifeline;
  if (wakened_by_ >= 0) {
    victim = wakened_by_;
    lifeline = lifeline_to(victim);
    wakened_by_ = -1;
  } else if (random_tries_ < kRandomTries) {
    ++random_tries_;
    victim = random_victim();
  } else {
    lifeline = unregistered();
    victim = lifelines_.target(lifeline) * core_.locale.cores_each + core_.index;
  }
  // From now on: the locale may have registered this core, and may be waking it, before the refusal
  // is here.
  if (lifeline != kNoLifeline) registered_[static_cast<std::size_t>(lifeline)] = true;
  under_way_ = true;
  kRequests.add_to(*core_.metrics);
  send_now(core_, victim, StealRequest{core_.id, static_cast<std::int16_t>(lifeline), false});
  return true;
}

void LifelineBalancer::answered(int lifeline, std::int64_t tasks, std::int64_t units) {
  under_way_ = false;
  if (tasks + units == 0) {
    kRefusals.add_to(*core_.metrics);
    next_ask_ = core_.now() + ask_wait_;
    ask_wait_ = std::min(2 * ask_wait_, kMaxWaitNs);
    return;
  }
  kTasksFromLocales.add_to(*core_.metrics, static_cast<std::uint64_t>(tasks));
  kUnitsFromLocales.add_to(*core_.metrics, static_cast<std::uint64_t>(units));
  if (lifeline != kNoLifeline) registered_[static_cast<std::size_t>(lifeline)] = false;
  random_tries_ = 0;
  ask_wait_ = kMinWaitNs;
}

void LifelineBalancer::woken(int by) {
  wakened_by_ = by;
  registered_[static_cast<std::size_t>(lifeline_to(by))] = false;
}

// ---- having it ----

std::int64_t LifelineBalancer::spare() const {
  return std::max(core_.scheduler->public_tasks() / 2, core_.ranges->spare_units());
}

std::uint64_t LifelineBalancer::offer_due() const {
  return std::max(spare_since_ + kPatienceNs, next_offer_);
}

bool LifelineBalancer::offer() {
  if (!lifelines_.anybody_waits()) return false;
  const std::int64_t spare_work = spare();
  if (spare_work == 0) {
    spare_since_ = 0;
    return false;
  }
  const std::uint64_t now = core_.now();
  if (spare_since_ == 0) spare_since_ = now;
  if (now < offer_due()) return false;
  for (std::int64_t told = 0; told < spare_work; ++told) {
    const int thief = lifelines_.take();
    if (thief < 0) break;
    kWakes.add_to(*core_.metrics);
    send_now(core_, thief, WakeThief{core_.id});
  }
  next_offer_ = now + offer_wait_;
  offer_wait_ = std::min(2 * offer_wait_, kMaxWaitNs);
  return true;
}

const Core* LifelineBalancer::busy_sibling() const {
  for (const auto& other : core_.locale.cores) {
    if (other.get() == &core_) continue;
    if (other->scheduler->public_tasks() > 1 || other->ranges->anything_visible())
      return other.get();
  }
  return nullptr;
}

void LifelineBalancer::requested(int thief, int lifeline, bool forwarded) {
  const std::int64_t tasks =
      core_.scheduler->send_public(thief, std::min(core_.scheduler->public_tasks() / 2, kMaxTasks));
  const std::int64_t units = tasks == 0 ? core_.ranges->send_half(thief) : 0;
  if (tasks + units > 0) {
    offer_wait_ = kMinWaitNs;
  } else {
    const Core* sibling = forwarded ? nullptr : busy_sibling();
    if (sibling != nullptr) {
      send_now(core_, sibling->id, StealRequest{thief, static_cast<std::int16_t>(lifeline), true});
      return;
    }
    if (lifeline != kNoLifeline) lifelines_.wait(lifeline, thief);
  }
  send_now(core_, thief, StealAnswer{static_cast<std::int32_t>(tasks), lifeline, units});
}

std::uint64_t LifelineBalancer::next_action(std::uint64_t idle_since) const {
  std::uint64_t next = kNever;
  if (idle_since != 0 && may_ask()) next = ask_due(idle_since);
  if (lifelines_.anybody_waits() && spare() > 0) next = std::min(next, offer_due());
  return next;
}

}  // namespace grappa::internal
