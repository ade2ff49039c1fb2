#include "grappa/parallel/trace_keeper.hpp"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <limits>

#include "grappa/base/clock.hpp"
#include "grappa/base/log.hpp"
#include "grappa/base/service_thread.hpp"
#include "grappa/delegate/delegate.hpp"
#include "grappa/parallel/runtime.hpp"

namespace grappa::internal {
namespace {

constexpr int kMinPings = 16;
constexpr std::int64_t kCloseNs = 10'000;
constexpr std::uint64_t kPingPatienceNs = 50'000'000;  // on a busy machine they never come close
constexpr std::uint64_t kLingerNs = 200'000'000;
constexpr int kEndSteps = 1600;  // of 5 ms: how long the end of a process waits for its timeline
constexpr timespec kEndStep{0, 5'000'000};

std::string trace_here(int index, const TraceClock& clock) {
  const Locale& locale = here().locale;
  const Core& core = *locale.cores[static_cast<std::size_t>(index)];
  return trace_of_core({locale.id, core.id}, *core.recorder, clock);
}

std::uint64_t lost_of(const Locale& locale) {
  std::uint64_t lost = 0;
  for (const auto& core : locale.cores) lost += core->recorder->ring()->lost();
  return lost;
}

}  // namespace

TraceKeeper::TraceKeeper(const std::vector<std::unique_ptr<Locale>>& locales) : locales_(locales) {
  if (has_first_locale())
    file_ = std::make_unique<TraceFile>(locales_.front()->config.trace.c_str());
  sem_init(&wanted_, 0, 0);
  thread_ = start_without_signals([this] { wait_for_end(); });
  hook_.emplace(&end_hook, this);
}

TraceKeeper::~TraceKeeper() {
  hook_.reset();
  stops_.store(true);
  sem_post(&wanted_);
  if (thread_.joinable()) thread_.join();
  sem_destroy(&wanted_);
}

// The other clock was read after the request left and before the answer came. Each round trip says
// how far apart the clocks are at least and at most; of all together the middle is taken.
TraceKeeper::Meeting TraceKeeper::meet(int core) {
  auto least = std::numeric_limits<std::int64_t>::min();
  auto most = std::numeric_limits<std::int64_t>::max();
  const std::uint64_t start = now_ns();
  std::uint64_t now = start;
  for (int pings = 0;
       pings < kMinPings || (most - least > kCloseNs && now - start < kPingPatienceNs); ++pings) {
    const std::uint64_t before = now_ns();
    const std::uint64_t there = delegate::call(core, [] { return now_ns(); });
    now = now_ns();
    least = std::max(least, static_cast<std::int64_t>(there - now));
    most = std::min(most, static_cast<std::int64_t>(there - before));
  }
  return {now, now + static_cast<std::uint64_t>(least + (most - least) / 2)};
}

void TraceKeeper::begin() {
  const bool all_here = std::ssize(locales_) == locale_count();
  for (int locale = 1; locale < locale_count() && !all_here; ++locale)
    meetings_.push_back(meet(first_core_of(locale)));
}

void TraceKeeper::end() {
  for (std::size_t i = 0; i < meetings_.size(); ++i) {
    const Meeting& first = meetings_[i];
    const int other = first_core_of(static_cast<int>(i) + 1);
    const Meeting last = meet(other);
    const TraceClock clock = TraceClock::through(first.there, first.here, last.there, last.here);
    for (int index = 0; index < cores_per_locale(); ++index)
      others_.push_back(delegate::call(other, [index, clock] { return trace_here(index, clock); }));
    lost_ += delegate::call(other, [] { return lost_of(here().locale); });
  }
}

std::vector<std::string> TraceKeeper::own_events() const {
  std::vector<std::string> events;
  for (const auto& locale : locales_) {
    for (const auto& core : locale->cores)
      events.push_back(trace_of_core({locale->id, core->id}, *core->recorder, TraceClock{}));
  }
  return events;
}

void TraceKeeper::write() {
  is_whole_.store(true);
  sem_post(&wanted_);
  thread_.join();
  if (failure_) std::rethrow_exception(failure_);
  for (const auto& locale : locales_) lost_ += lost_of(*locale);
  if (lost_ > 0)
    log_warning("the timeline lacks the {} oldest events; --trace-memory makes room for more",
                lost_);
}

// ---- when the process ends early ----

void TraceKeeper::end_hook(void* keeper) noexcept {
  auto& self = *static_cast<TraceKeeper*>(keeper);
  sem_post(&self.wanted_);
  for (int i = 0; i < kEndSteps && !self.is_written_.load(); ++i) nanosleep(&kEndStep, nullptr);
}

void TraceKeeper::wait_for_end() {
  while (sem_wait(&wanted_) != 0) {
  }
  if (is_whole_.load()) {
    write_all();
  } else if (!stops_.load()) {
    write_own();
  }
  is_written_.store(true);
}

void TraceKeeper::write_all() {
  try {
    std::vector<std::string> events = own_events();
    std::ranges::move(others_, std::back_inserter(events));
    file_->write(events);
  } catch (...) {
    failure_ = std::current_exception();
  }
}

void TraceKeeper::write_own() {
  const std::uint64_t start = now_ns();
  try {
    if (!has_first_locale()) {
      const Locale& locale = *locales_.front();
      file_ = std::make_unique<TraceFile>(
          fmt::format("{}.locale{}", locale.config.trace.c_str(), locale.id));
    }
    file_->write(own_events());
  } catch (const std::exception& error) {
    log_warning("{}", error.what());
  }
  // A launcher kills the others as soon as one process has ended: they write as much as this one.
  const bool all_here = std::ssize(locales_) == locales_.front()->count;
  if (!all_here)
    std::this_thread::sleep_for(std::chrono::nanoseconds(2 * (now_ns() - start) + kLingerNs));
}

}  // namespace grappa::internal
