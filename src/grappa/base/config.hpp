#pragma once

// Configuration of a run: one plain struct, set by code, overlaid by the environment (GRAPPA_*),
// overlaid by flags, in this order of strength.
//
//   Config config;
//   config.stack_bytes = 128 * 1024;             // code
//   config = config.with_environment();          // GRAPPA_CORES=2 wins over code
//   set_option(config, "cores", "4");            // --cores 4 wins over both
//   validate(config);
//
// Values as text: sizes are a number with B, KiB, MiB, GiB or TiB (none: bytes); times a number
// with ns, us, ms or s (the unit is required, except for 0); switches are on/off, true/false, 1/0.
// A refusal is a UsageError that names the option or variable, the value, and what is allowed.
// Field names say their unit. Nothing here is process-global; a Config may be copied freely.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace grappa {

/// True when the library was compiled without NDEBUG. A function and not a constant, so that the
/// library and a program compiled with other flags agree on the defaults below.
bool is_debug_build() noexcept;

/// How time passes in a simulation.
enum class SimulationMode {
  kTimed,         // real threads, wall clock, injected latency: for measurements
  kDeterministic  // one thread, virtual clock, everything from one seed: a failing run repeats
};

/// How stack overflow is found; see context/stack_pool.hpp.
enum class StackMode {
  kGuarded,  // a guard page a stack where the kernel has MADV_GUARD_INSTALL, elsewhere a canary
  kHuge,     // huge pages, no guards, canary
  kCanary    // small pages, no guards, canary
};

/// Which MPI library a process joins when a launcher has started it.
enum class MpiChoice {
  kAuto,  // the one that the launcher belongs to
  kNone,  // run alone, whatever the launcher wants
  kOpenMpi,
  kMpich
};

/// Where messages to another locale go first; see message/route.hpp.
enum class RoutePolicy {
  kFlat,   // straight to their destination: fewest hops, buffers for every locale
  kTwoHop  // through a grid: buffers for about 2√N locales
};

/// The simulated network between the locales of one process.
struct SimulationConfig {
  SimulationMode mode = SimulationMode::kTimed;
  std::uint64_t latency_ns = 1000;
  std::uint64_t bandwidth_bytes_per_s = 0;  // 0: unlimited
  double reorder = 0.0;                     // probability that a packet is overtaken
  std::uint64_t seed = 1;
  int lose_locale = -1;  // this locale falls silent at lose_at_ns; -1: none does
  std::uint64_t lose_at_ns = 0;

  bool operator==(const SimulationConfig&) const = default;
};

namespace internal {

/// The name of a file, in place, because a Config travels to other processes as it is.
struct FileName {
  std::array<char, 1024> text{};

  bool empty() const { return text[0] == 0; }
  const char* c_str() const { return text.data(); }
  bool operator==(const FileName&) const = default;
};

/// Frames are several times as large where the address sanitizer watches them. (The help has the
/// other one.)
#if defined(__SANITIZE_ADDRESS__)
inline constexpr std::size_t kDefaultStackBytes = 256 * 1024;
#else
inline constexpr std::size_t kDefaultStackBytes = 64 * 1024;
#endif

}  // namespace internal

/// All settings of a run; docs/tutorial.md says how to choose them.
struct Config {
  /// Machine.
  int cores = 0;    // cores of each locale; 0: all usable, shared out among the locales
  int locales = 1;  // more than one without a launcher: simulated
  MpiChoice mpi = MpiChoice::kAuto;
  /// A locale of a job of several processes that is silent for longer is lost; 0: silence means
  /// nothing.
  std::uint64_t lost_after_ns = 5'000'000'000;
  bool simulated = false;  // use the simulated transport for one locale, too
  bool pin = true;         // bind each core's thread to a processor
  SimulationConfig simulation;

  /// Tasks.
  std::size_t stack_bytes =
      internal::kDefaultStackBytes;         // addresses of one; committed as it is touched
  std::size_t large_stack_bytes = 8 << 20;  // of the function given to run, and of tasks that ask
  StackMode stacks = StackMode::kGuarded;
  std::size_t coroutine_bytes = std::size_t{1} << 30;  // at most, of all frames of a core
  int max_forall_workers = 1024;                       // workers that forall itself starts, a core
  /// Switches between the prefetch of a worker and its run; 0: no prefetch; none given: measured,
  /// and no prefetch with few workers.
  std::optional<int> prefetch_distance;
  std::uint64_t spin_ns = 100'000;         // an idle core spins this long before it parks
  std::uint64_t stall_ns = 5'000'000'000;  // a task that holds its core longer is named; 0: never
  bool shuffle = is_debug_build();         // run ready tasks in random order

  /// Messages.
  std::size_t chunk_bytes = 64 * 1024;     // messages are collected in chunks of this size
  std::uint64_t flush_ns = 1'000'000;      // a chunk leaves when its oldest message is this old
  int batch_prefetch = 32;                 // messages between prefetch and update; 0: no prefetch
  std::size_t in_flight_bytes = 16 << 20;  // on their way to other locales, from each core
  RoutePolicy route = RoutePolicy::kFlat;
  bool comm_core = false;             // one processor of each locale does nothing but move packets
  bool combining = true;              // of requests to containers (container/combiner.hpp)
  std::optional<bool> scan_payloads;  // see scans_payloads()

  /// Memory.
  std::size_t heap_block_bytes = 64;             // of the block-cyclic global heap
  std::size_t bin_bytes = 512ull * 1024 * 1024;  // for updates binned by address, a core

  /// Reports.
  bool stats = false;                          // print the metrics at the end of a run
  std::uint64_t stats_every_ns = 0;            // samples for run_series(); 0: none
  internal::FileName trace;                    // the timeline's; empty: none
  std::size_t trace_bytes = 16 * 1024 * 1024;  // for the events of a core
  bool time_metrics = false;                   // count where the time goes, whatever is reported

  bool operator==(const Config&) const = default;

  /// True when the network between the locales is a simulated one. Determinism needs it.
  bool is_simulated() const noexcept {
    return simulated || locales > 1 || simulation.mode == SimulationMode::kDeterministic;
  }

  /// Whether all payloads are scanned for pointers into the sender's memory: as set, or else in
  /// debug builds and in simulation. Without, closures of loops are, unless it was switched off.
  bool scans_payloads() const noexcept {
    return scan_payloads.value_or(is_debug_build() || is_simulated());
  }

  /// Whether cores record what they do (core_recorder.hpp).
  bool records() const noexcept {
    return stats || stats_every_ns != 0 || !trace.empty() || time_metrics;
  }

  /// A copy with every GRAPPA_* variable of the environment applied. A variable that is not known
  /// is refused with the nearest known name; those of the build and the tests (GRAPPA_TEST_*) are
  /// left alone. Reads the environment: not while another thread changes it.
  Config with_environment() const;
};

/// One option, for help texts and completion. All views have static storage duration.
struct OptionInfo {
  std::string_view name;           // "cores": the flag is --cores
  std::string_view environment;    // "GRAPPA_CORES"
  std::string_view value;          // what is allowed: "count", "on|off", "timed|deterministic"
  std::string_view help;           // one line, without the default
  std::string_view default_value;  // as set_option accepts it, or words such as "all usable"
};

/// All options, in the order in which help prints them.
std::span<const OptionInfo> config_options();

namespace internal {

/// The name of the first option in which the two differ; empty when there is none.
std::string_view first_difference(const Config& a, const Config& b);

}  // namespace internal

/// Sets one option from text, as a flag does. Throws UsageError.
void set_option(Config& config, std::string_view name, std::string_view value);

/// Refuses values that contradict one another or this machine. `usable_cpus` is the number of
/// processors that this process may use; by default it is asked from topology.hpp. Throws
/// UsageError.
void validate(const Config& config);
void validate(const Config& config, int usable_cpus);

namespace internal {

/// Cores of each locale: as configured, or the usable processors divided among the locales, less
/// one for a communication core, at least one each.
int cores_of_each_locale(const Config& config, int usable_cpus) noexcept;

}  // namespace internal

}  // namespace grappa
