#include "grappa/base/core_recorder.hpp"

#include "grappa/base/metrics.hpp"

namespace grappa::internal {
namespace {

constexpr std::uint64_t kShortNs = 250;  // not worth a span of its own
constexpr std::uint64_t kCountersNs = 500'000;

const std::array<metrics::Counter, kActivities> kTimes = {
    metrics::Counter{"time.program_ns", "in tasks, loops and the closures of messages"},
    metrics::Counter{"time.scheduling_ns", "deciding what runs next"},
    metrics::Counter{"time.aggregation_ns", "filling, handing over and taking buffers of messages"},
    metrics::Counter{"time.network_ns", "sending and receiving packets"},
    metrics::Counter{"time.idle_ns", "with nothing to do, looking for something"},
    metrics::Counter{"time.parked_ns", "with nothing to do, asleep"},
    metrics::Counter{"time.elsewhere_ns", "while the thread drove other cores (simulation)"}};
const metrics::Peak kMaxTasks{"tasking.most_live", "tasks of a core begun and not ended, at most"};
const metrics::Peak kMaxSuspended{"tasking.most_suspended", "of these waiting, at most"};

}  // namespace

CoreRecorder::CoreRecorder(std::size_t trace_bytes)
    : ring_(trace_bytes == 0 ? nullptr : std::make_unique<TraceRing>(trace_bytes)) {}

void CoreRecorder::start(Activity first) { clock_.start(first, now_ns()); }

void CoreRecorder::stop() {
  enter(current());
  end_.store(clock_.since(), std::memory_order_release);
}

void CoreRecorder::enter_at(std::uint64_t now, Activity next, TraceName name,
                            std::int64_t messages) {
  if (ring_ != nullptr) keep_span(now);
  clock_.enter(next, now);
  name_ = name;
  messages_ = messages;
}

void CoreRecorder::keep_span(std::uint64_t now) {
  const std::uint64_t since = clock_.since();
  const Activity activity = clock_.current();
  const bool is_next = ring_->last_span_ends_at(since);
  if (is_next && (now - since < kShortNs || ring_->last_span_is(activity, name_))) {
    ring_->extend_last_span(now, messages_);
  } else {
    ring_->push({.time_ns = since,
                 .kind = TraceKind::kSpan,
                 .activity = activity,
                 .name = name_,
                 .first = now - since,
                 .second = messages_});
  }
}

void CoreRecorder::arrive() { enter(after_elsewhere_); }

void CoreRecorder::leave() {
  after_elsewhere_ = current();
  enter(Activity::kElsewhere);
}

void CoreRecorder::rest() {
  if (current() == Activity::kElsewhere) {
    after_elsewhere_ = Activity::kIdle;
  } else if (current() != Activity::kIdle) {
    enter(Activity::kIdle);
  }
}

void CoreRecorder::park() { enter(Activity::kParked); }

void CoreRecorder::wake(bool is_here) {
  after_elsewhere_ = Activity::kIdle;
  enter(is_here ? Activity::kIdle : Activity::kElsewhere);
}

void CoreRecorder::count_tasks(std::uint64_t tasks, std::uint64_t suspended) {
  tasks_.store(tasks, std::memory_order_relaxed);
  suspended_.store(suspended, std::memory_order_relaxed);
  kMaxTasks.raise_to(tasks);
  kMaxSuspended.raise_to(suspended);
}

void CoreRecorder::note(TraceKind kind, const char* what, std::uint64_t first,
                        std::int64_t second) {
  if (has_events())
    ring_->push(
        {.time_ns = now_ns(), .kind = kind, .name = what, .first = first, .second = second});
}

void CoreRecorder::keep_counters(std::uint64_t messages, std::uint64_t bytes) {
  const std::uint64_t now = now_ns();
  counters_due_ = now + kCountersNs;
  ring_->push({.time_ns = now,
               .kind = TraceKind::kCounters,
               .name = TraceName::of_bits(tasks() << 32 | suspended()),
               .first = messages,
               .second = static_cast<std::int64_t>(bytes)});
}

void CoreRecorder::account() {
  const ActivityTimes totals = times().totals;
  for (std::size_t i = 0; i < kActivities; ++i) {
    kTimes[i].add(totals[i] - accounted_[i]);
    accounted_[i] = totals[i];
  }
}

}  // namespace grappa::internal
