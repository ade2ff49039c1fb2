#pragma once

// A core and its locale: the objects that all library state hangs off.
//
// A core is a scheduler with its own memory and message buffers. Normally one pinned OS thread
// drives one core; in simulation a thread drives several, and a core never moves between threads.
// Code that runs on a core finds it with `here()`. Higher layers attach their own parts through the
// pointers below; this layer never looks behind those it only declares.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "grappa/base/clock.hpp"
#include "grappa/base/config.hpp"
#include "grappa/base/metrics.hpp"
#include "grappa/context/overflow.hpp"

namespace grappa::internal {

class Aggregator;       // message
class CoreRecorder;     // base
class Driver;           // tasking
class Endpoint;         // transport
class Ledger;           // tasking
class LiveHandles;      // memory
class LoadBalancer;     // tasking
class LocaleMemory;     // memory
class ModuleTable;      // base
class PacketAssembler;  // message
class Parker;           // tasking
class PayloadScanner;   // message
class RangeBoard;       // tasking
class Sampler;          // tasking
class Scheduler;        // tasking
struct Collectives;     // parallel
struct Locale;

/// What the scheduler asks of the message layer in its loop.
class MessagePump {
 public:
  virtual ~MessagePump() = default;
  /// Runs what has arrived; true when there was something.
  virtual bool poll() = 0;
  /// Sends everything that waits in buffers; true when there was something.
  virtual bool flush() = 0;
  /// Called about every `Config::flush_ns`: sends what has waited for a whole period.
  virtual void tick() = 0;
  /// Whether something has arrived that poll() would run.
  virtual bool has_arrivals() const = 0;
  /// Whether poll() would do anything: run what has arrived, or hand over what others wait for.
  virtual bool wants_poll() const = 0;
  /// Whether something was handed over that this core has not taken yet. Any thread may ask.
  virtual bool inbound_waiting() const = 0;
  /// When (on the run's clock) a packet on its way to this core's locale arrives; kNoArrival: none.
  virtual std::uint64_t next_arrival() const = 0;
  /// Whether packets from other locales come without waking anybody, so that one must poll.
  virtual bool must_poll() const = 0;
  struct Traffic {
    std::uint64_t messages = 0;  // run here
    std::uint64_t bytes = 0;     // of messages, handed over to other cores
  };
  /// Since the start. Any thread may ask.
  virtual Traffic traffic() const = 0;
  static constexpr std::uint64_t kNoArrival = UINT64_MAX;
};

/// A core of this process.
struct Core {
  Core(int core_id, int index_in_locale, Locale& its_locale);
  ~Core();
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;

  const int id;     // over all locales
  const int index;  // within its locale
  Locale& locale;
  MetricsBlock* metrics = nullptr;
  std::unique_ptr<CoreRecorder> recorder;  // null where nothing is recorded
  Parker* parker = nullptr;                // of the thread that drives this core
  std::unique_ptr<Ledger> ledger;
  std::unique_ptr<RangeBoard> ranges;
  std::unique_ptr<Scheduler> scheduler;
  MessagePump* pump = nullptr;
  Aggregator* messages = nullptr;
  Collectives* collectives = nullptr;
  LoadBalancer* balancer = nullptr;  // where there are other locales
  bool shares_thread = false;        // with other cores, in simulation
  std::byte* memory_base = nullptr;  // of the locale's global memory
  LiveHandles* handles = nullptr;

  /// Tells the other cores of the locale whether this one has nothing to do, so that they send it
  /// at once what they hold for it.
  void set_hungry(bool value) {
    if (hungry_.load(std::memory_order_relaxed) != value)
      hungry_.store(value, std::memory_order_relaxed);
  }
  bool hungry() const { return hungry_.load(std::memory_order_relaxed); }

  /// Nanoseconds on the clock that this run's timeouts use: wall time, or simulated time.
  std::uint64_t now() const;

  /// Wakes the thread that drives this core if it is parked. Any thread may call it, after it has
  /// published (sequentially consistently) what the core is to find.
  void wake_thread();

 private:
  alignas(64) std::atomic<bool> hungry_{false};
};

/// A locale of this process, with its cores.
struct Locale {
  Locale(int locale_id, int locale_count, int cores_in_each, const Config& run_config);
  ~Locale();
  Locale(const Locale&) = delete;
  Locale& operator=(const Locale&) = delete;

  const int id;
  const int count;       // locales of the run
  const int cores_each;  // cores of every locale
  const Config config;
  const VirtualClock* virtual_clock = nullptr;  // in deterministic simulation
  MetricsRegistry metrics;
  const std::vector<const MetricsRegistry*>* metrics_sources =
      nullptr;  // of all locales in this process
  std::vector<std::unique_ptr<Core>> cores;
  std::atomic<int> parked_threads{
      0};  // threads of this locale that sleep, and would steal if woken
  Endpoint* endpoint = nullptr;
  PacketAssembler* packets = nullptr;    // where there are other locales
  const ModuleTable* modules = nullptr;  // for what travels between processes
  Driver* driver = nullptr;
  LocaleMemory* memory = nullptr;
  PayloadScanner* scanner = nullptr;
  Sampler* sampler = nullptr;  // where samples are taken
  // Whether what is computed is to end (parallel/cancellation.hpp): what the first locale was
  // asked, and the others have been told.
  std::atomic<bool> told_to_cancel{false};
  std::atomic<const std::atomic<bool>*> cancel{&told_to_cancel};

  int core_count() const { return count * cores_each; }
  int first_core() const { return id * cores_each; }
  /// Whether a thread of its own moves the packets, so that the cores do not poll for them.
  bool has_comm_core() const { return config.comm_core && count > 1; }
  /// Whether a single thread does everything in this locale.
  bool is_one_thread() const { return cores_each == 1 && !has_comm_core(); }
  bool holds(int core) const { return core / cores_each == id; }
};

// Numbers, because a thread without a core has kNowhere there, and what follows it is told.
inline thread_local constinit std::uintptr_t core_address = kNowhere;
// Of that core; beside it, because each switch asks for it.
inline thread_local constinit std::uintptr_t scheduler_address = kNowhere;
// In programs that never call `run`, too.
inline const bool watches_nowhere = watch_nowhere();

/// Makes `core` the one that this thread drives; nullptr: none.
inline void set_current_core(Core* core) {
  const bool none = core == nullptr;
  core_address = none ? kNowhere : reinterpret_cast<std::uintptr_t>(core);
  scheduler_address = none ? kNowhere : reinterpret_cast<std::uintptr_t>(core->scheduler.get());
}

/// True on a thread that drives a core at this moment.
inline bool inside_runtime() { return core_address != kNowhere; }

/// The core that this code runs on. Only on threads that drive cores, inside `run`: elsewhere its
/// use ends the process with a message.
inline Core& here() { return *reinterpret_cast<Core*>(core_address); }

/// The scheduler of that core.
inline Scheduler& this_scheduler() { return *reinterpret_cast<Scheduler*>(scheduler_address); }

/// The core of this thread; nullptr: none.
inline Core* current_core() { return inside_runtime() ? &here() : nullptr; }

}  // namespace grappa::internal
