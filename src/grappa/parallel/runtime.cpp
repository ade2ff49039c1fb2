#include "grappa/parallel/runtime.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <vector>

#include "grappa/base/clock.hpp"
#include "grappa/base/error.hpp"
#include "grappa/base/topology.hpp"
#include "grappa/memory/locale_memory.hpp"
#include "grappa/message/aggregator.hpp"
#include "grappa/message/payload_scan.hpp"
#include "grappa/parallel/collectives.hpp"
#include "grappa/parallel/spawn.hpp"
#include "grappa/sync/completion_event.hpp"
#include "grappa/tasking/driver.hpp"
#include "grappa/tasking/scheduler.hpp"
#include "grappa/transport/transport.hpp"

namespace grappa {

namespace internal {
/// The closure of the task that runs the body; its name appears in messages to people.
struct MainTask {
  void (*start)(void* runtime);
  void* runtime;
  void operator()() const { start(runtime); }
};
}  // namespace internal

namespace {

MetricsSnapshot snapshot_all(const std::vector<const MetricsRegistry*>& sources) {
  std::vector<MetricsSnapshot> snapshots;
  for (const MetricsRegistry* source : sources) snapshots.push_back(source->snapshot());
  return merge(snapshots);
}

/// Everything that lives as long as one run, in the order in which it is made.
class Runtime {
 public:
  explicit Runtime(const Config& config) : config_(config), cpus_(usable_cpus()) {
    if (inside_runtime())
      throw UsageError("grappa::run was called inside a run; spawn a task instead");
    const int usable = static_cast<int>(cpus_.size());
    validate(config_, usable);
    calibrate_clock();
    const int cores_each = cores_of_each_locale(config_, usable);
    const int locales = config_.locales;
    if (locales * cores_each > kMaxCores) {
      throw UsageError(fmt::format("{} locales of {} cores: at most {} cores in all", locales,
                                   cores_each, kMaxCores));
    }
    const bool deterministic =
        config_.is_simulated() && config_.simulation.mode == SimulationMode::kDeterministic;
    VirtualClock* clock = deterministic ? &virtual_clock_ : nullptr;
    if (config_.is_simulated()) transport_ = make_transport(config_, clock);
    std::vector<Locale*> all;
    for (int i = 0; i < locales; ++i) {
      locales_.push_back(std::make_unique<Locale>(i, locales, cores_each, config_));
      Locale& locale = *locales_.back();
      all.push_back(&locale);
      locale.virtual_clock = clock;
      locale.metrics_sources = &all_metrics_;
      all_metrics_.push_back(&locale.metrics);
      if (transport_ != nullptr) {
        locale.endpoint = &transport_->endpoint(i);
        locale.endpoint->set_wakeup([&locale] { locale.cores.front()->wake_thread(); });
      }
      if (config_.scans_payloads()) {
        scanners_.push_back(std::make_unique<PayloadScanner>());
        locale.scanner = scanners_.back().get();
      }
      memories_.push_back(std::make_unique<LocaleMemory>(locale));
      for (auto& core : locale.cores) {
        aggregators_.push_back(std::make_unique<Aggregator>(*core));
        collectives_.push_back(std::make_unique<Collectives>(*core));
      }
    }
    const int total = locales * cores_each;
    const int threads = deterministic ? 1 : std::min(total, usable);
    std::vector<int> pins;
    if (config_.pin && !deterministic) {
      for (const Cpu& cpu : cpus_) pins.push_back(cpu.os_index);
    }
    driver_ = std::make_unique<Driver>(all, threads, pins, clock);
  }

  ~Runtime() {
    for (auto& locale : locales_) {
      if (locale->endpoint != nullptr) locale->endpoint->set_wakeup({});
    }
    for (auto& aggregator : aggregators_) aggregator->discard();
  }

  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  void run(void (*body)(void*), void* argument) {
    body_ = body;
    argument_ = argument;
    Core& core = *locales_.front()->cores.front();
    core.ledger->add(outside_);
    const internal::MainTask task{[](void* self) { static_cast<Runtime*>(self)->main_task(); },
                                  this};
    core.scheduler->push_private(make_task(task, &outside_));
    driver_->run();
    if (config_.stats) fmt::print(stderr, "{}", to_text(snapshot_all(all_metrics_)));
    if (failure_ != nullptr) std::rethrow_exception(failure_);
  }

 private:
  static constexpr int kMaxCores = 65536;

  void main_task() {
    try {
      CompletionEvent all;
      Worker& worker = here().scheduler->current();
      worker.scope = &all.share();
      try {
        body_(argument_);
      } catch (...) {
        failure_ = std::current_exception();
      }
      worker.scope = &outside_;
      all.wait();
    } catch (...) {
      if (failure_ == nullptr) failure_ = std::current_exception();
    }
    driver_->stop();
  }

  const Config config_;
  std::vector<Cpu> cpus_;
  VirtualClock virtual_clock_;
  std::vector<const MetricsRegistry*> all_metrics_;
  std::unique_ptr<Transport> transport_;
  std::vector<std::unique_ptr<PayloadScanner>> scanners_;
  std::vector<std::unique_ptr<Locale>> locales_;
  std::vector<std::unique_ptr<LocaleMemory>> memories_;
  std::vector<std::unique_ptr<Aggregator>> aggregators_;
  std::vector<std::unique_ptr<Collectives>> collectives_;
  std::unique_ptr<Driver> driver_;
  CompletionShare outside_;  // what the root task belongs to; nobody waits for it
  void (*body_)(void*) = nullptr;
  void* argument_ = nullptr;
  std::exception_ptr failure_;
};

}  // namespace

namespace internal {

void run_root(const Config& config, void (*body)(void*), void* argument) {
  Runtime runtime(config);
  runtime.run(body, argument);
}

}  // namespace internal

void yield() { here().scheduler->yield(); }

void sleep_for(std::uint64_t ns) { here().scheduler->sleep_for(ns); }

MetricsSnapshot metrics_snapshot() { return snapshot_all(*here().locale.metrics_sources); }

}  // namespace grappa
