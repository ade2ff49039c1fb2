#include "grappa/tasking/stall_detector.hpp"

#include <chrono>

#include "grappa/base/error.hpp"
#include "grappa/base/log.hpp"
#include "grappa/tasking/parker.hpp"
#include "grappa/tasking/scheduler.hpp"

namespace grappa {
namespace {
constexpr std::uint64_t kLooksPerStall = 4;
}

StallDetector::StallDetector(std::vector<const Core*> cores, std::uint64_t stall_ns)
    : stall_ns_(stall_ns) {
  if (stall_ns == 0) return;
  for (const Core* core : cores) watches_.push_back({core, 0, now_ns(), false});
  thread_ = std::thread([this] { loop(); });
}

StallDetector::~StallDetector() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void StallDetector::loop() {
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, std::chrono::nanoseconds(stall_ns_ / kLooksPerStall),
                         [this] { return stop_; })) {
    const std::uint64_t now = now_ns();
    for (Watch& watch : watches_) look(watch, now);
  }
}

void StallDetector::look(Watch& watch, std::uint64_t now) const {
  const Scheduler& scheduler = *watch.core->scheduler;
  const std::uint64_t passes = scheduler.passes();
  const std::type_info* task = scheduler.running_task();
  // A parked core makes no passes either, and runs no task.
  if (passes != watch.passes || task == nullptr || watch.core->parker->parked()) {
    watch.passes = passes;
    watch.since_ns = now;
    watch.warned = false;
  } else if (!watch.warned && now - watch.since_ns >= stall_ns_) {
    watch.warned = true;
    log_warning(
        "core {} has run task {} for {:.1f} s without a pause, and handles no messages meanwhile; "
        "call grappa::yield() in long loops (--stall 0 turns this warning off)",
        watch.core->id, demangled_type_name(*task),
        static_cast<double>(now - watch.since_ns) * 1e-9);
  }
}

}  // namespace grappa
