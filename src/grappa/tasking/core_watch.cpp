#include "grappa/tasking/core_watch.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "grappa/base/clock.hpp"
#include "grappa/base/closure_names.hpp"
#include "grappa/base/last_words.hpp"
#include "grappa/base/log.hpp"
#include "grappa/base/service_thread.hpp"
#include "grappa/tasking/parker.hpp"
#include "grappa/tasking/scheduler.hpp"

namespace grappa::internal {
namespace {

constexpr std::uint64_t kLooksPerStall = 4;
constexpr std::uint64_t kAnswerNs = 1'000'000'000;
constexpr std::uint64_t kBetweenReportsNs = 1'000'000'000;

std::uint64_t passes_of(const WatchedThread& thread) {
  std::uint64_t passes = 0;
  for (const Core* core : *thread.cores) passes += core->scheduler->passes();
  return passes;
}

std::optional<Running> what_runs_on(const WatchedThread& thread) {
  const pthread_t handle = thread.handle->load(std::memory_order_acquire);
  return handle == 0 ? std::nullopt : grappa::internal::what_runs_on(handle);
}

std::string name_of(const std::optional<Running>& running) {
  if (!running) return "a task";
  if (running->task == nullptr) return "message handlers";
  return "task " + closure_name(*running->task);
}

/// "grappa: " before every line, as it stands before every message.
std::string with_prefix(const std::string& lines) {
  std::string text;
  for (std::size_t at = 0; at < lines.size();) {
    const std::size_t end = lines.find('\n', at) + 1;
    text.append("grappa: ").append(lines, at, end - at);
    at = end;
  }
  if (!text.empty()) text.pop_back();  // whoever writes it ends the line
  return text;
}

}  // namespace

CoreWatch::CoreWatch(std::vector<WatchedThread> threads, std::uint64_t stall_ns,
                     std::function<void()> on_report)
    : stall_ns_(stall_ns), on_report_(std::move(on_report)) {
  for (const WatchedThread& thread : threads) watches_.push_back({thread, 0, now_ns(), false});
  thread_ = start_thread([this] { loop(); });
}

CoreWatch::~CoreWatch() { stop(); }

void CoreWatch::stop() {
  if (!thread_.joinable()) return;
  stop_.store(true);
  requests_.interrupt();
  thread_.join();
}

void CoreWatch::loop() {
  const std::uint64_t nap = stall_ns_ == 0 ? Parker::kForever : stall_ns_ / kLooksPerStall;
  while (!stop_.load()) {
    const bool asked = requests_.wait(nap);
    if (stop_.load()) return;
    if (asked) report();
    const std::uint64_t now = now_ns();
    for (Watch& watch : watches_) look_for_stall(watch, now);
  }
}

void CoreWatch::look_for_stall(Watch& watch, std::uint64_t now) const {
  const std::uint64_t passes = passes_of(watch.thread);
  // Threads that are parked or wait for a pipe make no passes either.
  if (passes != watch.passes || watch.thread.cores->front()->parker->parked() ||
      watch.thread.waits->load(std::memory_order_relaxed)) {
    watch.passes = passes;
    watch.since_ns = now;
    watch.warned = false;
  } else if (stall_ns_ != 0 && !watch.warned && now - watch.since_ns >= stall_ns_) {
    const std::optional<Running> running = what_runs_on(watch.thread);
    if (passes_of(watch.thread) != passes) return;  // the stretch is over, and the name too late
    watch.warned = true;
    log_warning(
        "core {} has run {} for {:.1f} s without a pause, and handles no messages meanwhile; call "
        "grappa::yield() in long loops, and use grappa::Mutex instead of std::mutex, which blocks "
        "the whole core where another task of it waits holding it (--stall 0 turns this warning "
        "off)",
        running && running->core >= 0 ? running->core : watch.thread.cores->front()->id,
        name_of(running), static_cast<double>(now - watch.since_ns) * 1e-9);
  }
}

// ---- reports ----

void CoreWatch::report() {
  const std::uint64_t now = now_ns();
  if (last_report_ns_ == 0 || now - last_report_ns_ >= kBetweenReportsNs) {
    last_report_ns_ = now;
    if (on_report_) on_report_();
    for (const Watch& watch : watches_) {
      for (Core* core : *watch.thread.cores) core->scheduler->report_slot().ask();
      watch.thread.cores->front()->parker->wake();
    }
    wait_for_answers();
    const bool progress = isatty(STDERR_FILENO) != 0;  // its line is wiped
    write_last_line({progress ? "\r\033[K" : "", with_prefix(describe())});
  }
  requests_.forget();
}

void CoreWatch::wait_for_answers() const {
  const auto has_answered = [](const Watch& watch) {
    return std::all_of(watch.thread.cores->begin(), watch.thread.cores->end(),
                       [](Core* core) { return core->scheduler->report_slot().answered(); });
  };
  const std::uint64_t end = now_ns() + kAnswerNs;
  while (now_ns() < end && !stop_.load() &&
         !std::all_of(watches_.begin(), watches_.end(), has_answered)) {
    poll(nullptr, 0, 1);
  }
}

std::string CoreWatch::describe() const {
  std::string of_cores;
  for (const Watch& watch : watches_) {
    std::vector<Core*> silent;
    for (Core* core : *watch.thread.cores) {
      ReportSlot& slot = core->scheduler->report_slot();
      if (slot.withdraw()) {
        silent.push_back(core);
        continue;
      }
      while (!slot.answered()) poll(nullptr, 0, 1);
      of_cores += slot.take();
    }
    if (!silent.empty()) of_cores += describe_hogged(watch.thread, silent);
  }
  const Locale& first = watches_.front().thread.cores->front()->locale;
  const int last = watches_.back().thread.cores->back()->locale.id;
  return fmt::format("report of process {}, {}:\n{}", getpid(),
                     first.id == last ? fmt::format("locale {}", last)
                                      : fmt::format("locales {} to {}", first.id, last),
                     of_cores);
}

std::string CoreWatch::describe_hogged(const WatchedThread& thread,
                                       const std::vector<Core*>& silent) {
  const std::optional<Running> running = what_runs_on(thread);
  std::string text;
  for (const Core* core : silent) {
    if (silent.size() == 1 || (running && running->core == core->id)) {
      text += fmt::format("core {}: runs {}, and has not paused for a second to tell more\n",
                          core->id, name_of(running));
    } else {
      text += fmt::format("core {}: waits for its turn on its thread\n", core->id);
    }
  }
  return text;
}

}  // namespace grappa::internal
