#include "grappa/parallel/runtime.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <optional>
#include <string>
#include <vector>

#include "grappa/base/clock.hpp"
#include "grappa/base/closure_names.hpp"
#include "grappa/base/core_recorder.hpp"
#include "grappa/base/error.hpp"
#include "grappa/base/module_table.hpp"
#include "grappa/base/time_table.hpp"
#include "grappa/base/topology.hpp"
#include "grappa/base/uncaught_errors.hpp"
#include "grappa/delegate/delegate.hpp"
#include "grappa/memory/locale_memory.hpp"
#include "grappa/message/aggregator.hpp"
#include "grappa/message/comm_thread.hpp"
#include "grappa/message/payload_scan.hpp"
#include "grappa/parallel/collectives.hpp"
#include "grappa/parallel/lifeline_balancer.hpp"
#include "grappa/parallel/spawn.hpp"
#include "grappa/parallel/trace_keeper.hpp"
#include "grappa/parallel/whole_call.hpp"
#include "grappa/sync/completion_event.hpp"
#include "grappa/tasking/driver.hpp"
#include "grappa/tasking/sampler.hpp"
#include "grappa/tasking/scheduler.hpp"
#include "grappa/transport/mpi/launcher.hpp"
#include "grappa/transport/mpi/mpi_job.hpp"
#include "grappa/transport/transport.hpp"
#include "grappa/transport/watch/peer_watch.hpp"

namespace grappa {

namespace internal {
/// The closure of the task that runs the body; its name appears in messages to people.
struct MainTask {
  void (*start)(void* runtime);
  void* runtime;
  void operator()() const { start(runtime); }
};

/// Waits in a simulated locale until another one has been silent for so long that it is lost.
struct LossWatch {
  int locale;
  std::uint64_t lost_at_ns;  // since the start
  std::uint64_t lost_after_ns;
  void operator()() const {
    this_scheduler().sleep_for(lost_at_ns + lost_after_ns);
    const std::string name = fmt::format("locale {} (simulated)", locale);
    end_process({1, false, silence_text(name, false, lost_after_ns)});
  }
};
}  // namespace internal

namespace {

MetricsSnapshot snapshot_all(const std::vector<const internal::MetricsRegistry*>& sources) {
  std::vector<MetricsSnapshot> snapshots;
  for (const internal::MetricsRegistry* source : sources) snapshots.push_back(source->snapshot());
  return merge(snapshots);
}

/// Tells the locales that are reached from locale 0 through this one that the run is over. They are
/// told before this one stops, because afterwards it passes nothing on.
void pass_on_stop(internal::Core& core);

/// To the other processes of a job: the run is over.
struct StopMessage {
  void operator()(internal::RunContext& context) const {
    pass_on_stop(context.core);
    context.core.locale.driver->stop();
  }
};

void pass_on_stop(internal::Core& core) {
  const internal::Locale& locale = core.locale;
  const internal::Route route(locale.config.route, locale.count);
  for (int to = 1; to < locale.count; ++to) {
    const int hop = route.next_hop(0, to);
    if (to == locale.id || (hop == to ? 0 : hop) != locale.id) continue;
    core.messages->send(to * locale.cores_each, StopMessage{}, nullptr);
    core.messages->flush_to(to * locale.cores_each);
  }
}

/// How the run in this process stands, for the watch of a job.
class LocaleProbe final : public internal::RunProbe {
 public:
  LocaleProbe(const internal::Driver& driver, const internal::Endpoint& endpoint, std::uint64_t run)
      : driver_(driver), endpoint_(endpoint), run_(run) {}

  internal::RunReport report() const override {
    const internal::Driver::Quiet before = driver_.quiet();
    const internal::TransportStatistics packets = endpoint_.statistics();
    const internal::Driver::Quiet after = driver_.quiet();
    const bool quiet = before.quiet && after.quiet && before.wakes == after.wakes;
    return {run_, after.wakes, packets.packets_sent, packets.packets_received, quiet ? 1u : 0u};
  }

  Waits waits() const override {
    Waits waits;
    waits.text = driver_.describe_suspended(waits.tasks);
    return waits;
  }

 private:
  const internal::Driver& driver_;
  const internal::Endpoint& endpoint_;
  const std::uint64_t run_;
};

/// Everything that lives as long as one run, in the order in which it is made.
class Runtime {
 public:
  Runtime(const Config& config, internal::MpiJob* job)
      : config_(config),
        job_(job),
        cpus_(job != nullptr ? job->processors() : internal::usable_processors()) {
    std::exception_ptr error;
    try {
      set_up();
    } catch (...) {
      error = std::current_exception();
    }
    if (job_ != nullptr) {
      job_->agree_to_run(error);
    } else if (error != nullptr) {
      std::rethrow_exception(error);
    }
  }

  ~Runtime() {
    if (job_ != nullptr) transport_->drain();
    for (auto& locale : locales_) {
      if (locale->endpoint != nullptr) locale->endpoint->set_wakeup({});
    }
    for (auto& aggregator : aggregators_) aggregator->discard();
  }

  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  /// Runs `body` as the first task if this process has locale 0, and drives its cores.
  void run(void (*body)(void*), void* argument) {
    body_ = body;
    argument_ = argument;
    internal::Core& core = *locales_.front()->cores.front();
    if (core.id == 0) {
      core.ledger->add(outside_);
      using Main = internal::MainTask;
      const Main task{[](void* self) { static_cast<Runtime*>(self)->main_task(); }, this};
      core.scheduler->push_private(internal::make_task(
          task, &outside_, internal::TaskRunner<Main, internal::StackClass::kLarge>::kType));
    }
    watch_for_loss();
    drive();
    for (const auto& locale : locales_) {
      for (const auto& each : locale->cores) each->scheduler->require_no_coroutines();
    }
    if (trace_ && core.id == 0) trace_->write();
    fmt::print(stderr, "{}", statistics_);
    if (failure_ != nullptr) std::rethrow_exception(failure_);
  }

 private:
  static constexpr int kMaxCores = 65536;

  void set_up() {
    const int usable = static_cast<int>(cpus_.size());
    if (job_ == nullptr) {
      internal::validate_binding(config_, cpus_.size(), 1);
      validate(config_, usable);
    }
    internal::calibrate_clock();
    const int cores_each =
        job_ != nullptr ? config_.cores : internal::cores_of_each_locale(config_, usable);
    const int locales = config_.locales;
    if (locales * cores_each > kMaxCores) {
      throw UsageError(fmt::format("{} locales of {} cores: at most {} cores in all", locales,
                                   cores_each, kMaxCores));
    }
    const bool deterministic =
        config_.is_simulated() && config_.simulation.mode == SimulationMode::kDeterministic;
    internal::VirtualClock* clock = deterministic ? &virtual_clock_ : nullptr;
    if (job_ != nullptr) {
      transport_ = job_->make_transport(config_);
    } else if (config_.is_simulated()) {
      transport_ = internal::make_transport(config_, clock);
    }
    const internal::ModuleTable* modules = nullptr;
    if (transport_ != nullptr) modules = job_ != nullptr ? &job_->modules() : &modules_.emplace();
    std::vector<internal::Locale*> all;
    const int here_too = transport_ != nullptr ? transport_->endpoint_count() : 1;
    for (int i = 0; i < here_too; ++i) {
      internal::Endpoint* endpoint = transport_ != nullptr ? &transport_->endpoint(i) : nullptr;
      const int id = endpoint != nullptr ? endpoint->locale() : 0;
      locales_.push_back(std::make_unique<internal::Locale>(id, locales, cores_each, config_));
      internal::Locale& locale = *locales_.back();
      all.push_back(&locale);
      locale.virtual_clock = clock;
      locale.metrics_sources = &all_metrics_;
      all_metrics_.push_back(&locale.metrics);
      if (endpoint != nullptr) {
        locale.endpoint = endpoint;
        locale.modules = modules;
        endpoint->set_wakeup([&locale] { locale.cores.front()->wake_thread(); });
      }
      if (const auto extent = scanned()) {
        scanners_.push_back(std::make_unique<internal::PayloadScanner>(*extent));
        locale.scanner = scanners_.back().get();
      }
      memories_.push_back(std::make_unique<internal::LocaleMemory>(locale));
      if (locales > 1) {
        packets_.push_back(std::make_unique<internal::PacketAssembler>(
            locale, internal::Route(config_.route, locales).most_neighbors()));
        locale.packets = packets_.back().get();
        lifelines_.push_back(std::make_unique<internal::Lifelines>(locale));
      }
      for (auto& core : locale.cores) {
        aggregators_.push_back(std::make_unique<internal::Aggregator>(*core));
        collectives_.push_back(std::make_unique<internal::Collectives>(*core));
        if (locales == 1) continue;
        balancers_.push_back(
            std::make_unique<internal::LifelineBalancer>(*core, *lifelines_.back()));
        core->balancer = balancers_.back().get();
      }
    }
    const int total = here_too * cores_each;
    const int threads = deterministic ? 1 : std::min(total, usable);
    const bool pinned = config_.pin && !deterministic;
    driver_ = std::make_unique<internal::Driver>(all, threads, pinned ? cpus_ : std::vector<int>{},
                                                 clock);
    if (!config_.trace.empty()) trace_.emplace(locales_);
  }

  /// How much of what is sent is scanned for pointers; nothing when that is switched off.
  std::optional<internal::PayloadScanner::Extent> scanned() const {
    using Extent = internal::PayloadScanner::Extent;
    // A job is no simulation, though it has several locales.
    const bool everything = job_ == nullptr ? config_.scans_payloads()
                                            : config_.scan_payloads.value_or(is_debug_build());
    if (everything) return Extent::kEverything;
    if (config_.scan_payloads == false) return std::nullopt;
    return config_.locales > 1 ? Extent::kBodies : Extent::kReferencesInBodies;
  }

  /// Nobody hears a simulated locale that is lost; the first of the others says so in time.
  void watch_for_loss() {
    const SimulationConfig& simulation = config_.simulation;
    if (simulation.lose_locale < 0 || config_.lost_after_ns == 0 || locales_.size() < 2) return;
    internal::Core& core = *locales_[simulation.lose_locale == 0 ? 1 : 0]->cores.front();
    core.ledger->add(outside_);
    core.scheduler->push_private(internal::make_task(
        internal::LossWatch{simulation.lose_locale, simulation.lose_at_ns, config_.lost_after_ns},
        &outside_));
  }

  /// The processor after those of the cores, for the i-th locale of this process; -1: none is left.
  int comm_processor(std::size_t i) const {
    const auto index = locales_.size() * static_cast<std::size_t>(locales_[i]->cores_each) + i;
    return config_.pin && index < cpus_.size() ? cpus_[index] : -1;
  }

  void drive() {
    std::vector<std::unique_ptr<internal::Sampler>> samplers;
    for (std::size_t i = 0; i < locales_.size() && config_.stats_every_ns != 0; ++i) {
      samplers.push_back(std::make_unique<internal::Sampler>(*locales_[i], config_.stats_every_ns));
      locales_[i]->sampler = samplers.back().get();
    }
    std::vector<std::unique_ptr<internal::CommThread>> communication;
    for (std::size_t i = 0; i < locales_.size() && locales_[i]->has_comm_core(); ++i)
      communication.push_back(
          std::make_unique<internal::CommThread>(*locales_[i], comm_processor(i)));
    if (job_ == nullptr) {
      driver_->run();
    } else {
      const LocaleProbe probe(*driver_, *locales_.front()->endpoint, job_->runs());
      job_->watch().set_run(&probe);
      driver_->set_on_report([this] { job_->watch().ask_for_reports(); });
      driver_->run();
      job_->watch().set_run(nullptr);
    }
    for (const auto& thread : communication) thread->stop();
  }

  void main_task() {
    if (trace_) trace_->begin();
    failure_ = internal::call_whole(body_, argument_);
    if (trace_) trace_->end();
    if (config_.stats) {
      const MetricsSnapshot metrics = metrics_snapshot();
      statistics_ = internal::time_table(metrics) + to_text(metrics);
    }
    if (job_ != nullptr) pass_on_stop(internal::here());
    driver_->stop();
  }

  const Config config_;
  internal::MpiJob* job_;
  std::vector<int> cpus_;
  internal::VirtualClock virtual_clock_;
  std::vector<const internal::MetricsRegistry*> all_metrics_;
  std::unique_ptr<internal::Transport> transport_;
  std::optional<internal::ModuleTable> modules_;  // in simulation
  std::vector<std::unique_ptr<internal::PayloadScanner>> scanners_;
  std::vector<std::unique_ptr<internal::Locale>> locales_;
  std::vector<std::unique_ptr<internal::LocaleMemory>> memories_;
  std::vector<std::unique_ptr<internal::PacketAssembler>> packets_;
  std::vector<std::unique_ptr<internal::Aggregator>> aggregators_;
  std::vector<std::unique_ptr<internal::Collectives>> collectives_;
  std::vector<std::unique_ptr<internal::Lifelines>> lifelines_;
  std::vector<std::unique_ptr<internal::LifelineBalancer>> balancers_;
  std::unique_ptr<internal::Driver> driver_;
  std::optional<internal::TraceKeeper> trace_;
  internal::CompletionShare outside_;  // what the root task belongs to; nobody waits for it
  void (*body_)(void*) = nullptr;
  void* argument_ = nullptr;
  std::exception_ptr failure_;
  std::string statistics_;  // of all locales, where the main task ran and they were asked for
};

}  // namespace

namespace internal {

void throw_no_such_locale(int locale) {
  throw UsageError(fmt::format("locale {} does not exist: this run has locales 0 to {}", locale,
                               here().locale.count - 1));
}

Config config_of_environment() { return Config{}.with_environment(); }

void run_root(const Config& config, void (*body)(void*), void* argument,
              const std::source_location& where) {
  end_by_uncaught_exceptions();
  count_other_errors(0);
  if (inside_runtime())
    throw UsageError("grappa::run was called inside a run; spawn a task instead");
  keep_closure_name(typeid(MainTask), fmt::format("main ({}:{})", where.file_name(), where.line()));
  MpiJob* job = MpiJob::of_this_process(config);
  if (job == nullptr) return Runtime(config, nullptr).run(body, argument);
  const MpiJob::RunMark mark(*job);
  const Config agreed = job->begin_run(config);
  const PeerWatch::Step step(job->watch());
  Runtime(agreed, job).run(body, argument);
}

}  // namespace internal

bool is_follower(const Config& config) {
  const internal::MpiJob* job = internal::MpiJob::of_this_process(config);
  return job != nullptr && job->rank() > 0;
}

int serve(const Config& config) {
  internal::MpiJob* job = internal::MpiJob::of_this_process(config);
  if (job == nullptr || job->rank() == 0)
    throw UsageError("grappa::serve is for all processes of a job but the first");
  while (const std::optional<Config> next = job->next_run()) {
    const internal::PeerWatch::Step step(job->watch());
    std::optional<Runtime> runtime;
    try {
      runtime.emplace(*next, job);
    } catch (const Error&) {
      continue;  // process 0 has the same error, and says it
    }
    runtime->run(nullptr, nullptr);
  }
  return job->status();
}

void end_job(int status, const Config& config) {
  if (internal::inside_runtime())
    throw UsageError("grappa::end_job was called inside a run; call it after the last one");
  if (internal::MpiJob* job = internal::MpiJob::of_this_process(config)) job->end(status);
}

void sleep_for(std::uint64_t ns) { internal::this_scheduler().sleep_for(ns); }

void trace_mark(const char* what, std::int64_t number) {
  if (internal::here().recorder != nullptr)
    internal::here().recorder->note(internal::TraceKind::kMark, what, 0, number);
}

std::vector<LocaleSeries> run_series() {
  std::vector<LocaleSeries> series;
  for (int locale = 0; locale < locale_count() && internal::here().locale.sampler != nullptr;
       ++locale) {
    const int core = first_core_of(locale);
    series.push_back(
        {locale, cores_per_locale(),
         delegate::call(core, [] { return internal::here().locale.sampler->period_ns(); }),
         delegate::call(core, [] { return internal::here().locale.sampler->samples(); })});
  }
  return series;
}

MetricsSnapshot metrics_snapshot() {
  const internal::Locale& mine = internal::here().locale;
  if (internal::here().recorder != nullptr)
    on_all_cores([] { internal::here().recorder->account(); });
  const auto snapshot_here = [&] { return snapshot_all(*mine.metrics_sources); };
  if (static_cast<int>(mine.metrics_sources->size()) == mine.count) return snapshot_here();
  std::vector<MetricsSnapshot> of_locales;
  for (int locale = 0; locale < mine.count; ++locale) {
    if (locale == mine.id) {
      of_locales.push_back(snapshot_here());
      continue;
    }
    const std::vector<std::uint64_t> values = delegate::call(
        first_core_of(locale), [] { return internal::here().locale.metrics.values(); });
    of_locales.push_back(internal::MetricsRegistry::of_values(values, mine.cores_each).snapshot());
  }
  return merge(of_locales);
}

}  // namespace grappa
