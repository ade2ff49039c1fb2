#include "grappa/base/config_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "grappa/base/error.hpp"
#include "grappa/base/text_values.hpp"

namespace grappa::config_detail {
namespace {

[[noreturn]] void refuse(std::string_view who, std::string_view value, std::string_view allowed) {
  throw UsageError(fmt::format("{}: \"{}\" is not allowed; give {}", who, value, allowed));
}

// The member of a field of Config, and of one of its SimulationConfig.
template <auto Member>
auto& field(Config& config) {
  if constexpr (requires { config.*Member; }) {
    return config.*Member;
  } else {
    return config.simulation.*Member;
  }
}

template <auto Member>
const auto& field(const Config& config) {
  return field<Member>(const_cast<Config&>(config));
}

template <auto Member>
bool same(const Config& a, const Config& b) {
  return field<Member>(a) == field<Member>(b);
}

template <auto Member, int Least, int Most>
void set_count(Config& config, std::string_view who, std::string_view value) {
  const auto number = internal::parse_integer(value);
  if (!number || *number < Least || *number > Most) {
    refuse(who, value, fmt::format("a whole number from {} to {}", Least, Most));
  }
  field<Member>(config) = static_cast<int>(*number);
}

template <auto Member>
void set_size(Config& config, std::string_view who, std::string_view value) {
  const auto bytes = internal::parse_size(value);
  if (!bytes) refuse(who, value, "a size such as 4096, 64KiB, 16MiB or 2GiB");
  field<Member>(config) = *bytes;
}

template <auto Member>
void set_time(Config& config, std::string_view who, std::string_view value) {
  const auto time = internal::parse_duration_ns(value);
  if (!time) refuse(who, value, "0 or a time such as 500ns, 20us, 1.5ms or 2s");
  field<Member>(config) = *time;
}

template <auto Member>
void set_switch(Config& config, std::string_view who, std::string_view value) {
  const auto on = internal::parse_switch(value);
  if (!on) refuse(who, value, "on or off (or true, false, yes, no, 1, 0)");
  field<Member>(config) = bool{*on};
}

void set_prefetch_distance(Config& config, std::string_view who, std::string_view value) {
  if (value == "auto") {
    config.prefetch_distance.reset();
    return;
  }
  const auto number = internal::parse_integer(value);
  if (!number || *number < 0 || *number > 1024)
    refuse(who, value, "auto or a whole number from 0 to 1024");
  config.prefetch_distance = static_cast<int>(*number);
}

void set_probability(Config& config, std::string_view who, std::string_view value) {
  const auto number = internal::parse_number(value);
  if (!number || *number < 0 || *number > 1) refuse(who, value, "a number from 0 to 1");
  config.simulation.reorder = *number;
}

void set_seed(Config& config, std::string_view who, std::string_view value) {
  const auto number = internal::parse_integer(value);
  if (!number || *number < 0) refuse(who, value, "a whole number from 0 to 2^63 - 1");
  config.simulation.seed = static_cast<std::uint64_t>(*number);
}

void set_simulation_mode(Config& config, std::string_view who, std::string_view value) {
  if (value == "timed") {
    config.simulation.mode = SimulationMode::kTimed;
  } else if (value == "deterministic") {
    config.simulation.mode = SimulationMode::kDeterministic;
  } else {
    refuse(who, value, "timed or deterministic");
  }
}

void set_stacks(Config& config, std::string_view who, std::string_view value) {
  if (value == "guarded") {
    config.stacks = StackMode::kGuarded;
  } else if (value == "huge") {
    config.stacks = StackMode::kHuge;
  } else if (value == "canary") {
    config.stacks = StackMode::kCanary;
  } else {
    refuse(who, value, "guarded, huge or canary");
  }
}

void set_route(Config& config, std::string_view who, std::string_view value) {
  if (value == "flat") {
    config.route = RoutePolicy::kFlat;
  } else if (value == "two-hop") {
    config.route = RoutePolicy::kTwoHop;
  } else {
    refuse(who, value, "flat or two-hop");
  }
}

void set_mpi(Config& config, std::string_view who, std::string_view value) {
  if (value == "auto") {
    config.mpi = MpiChoice::kAuto;
  } else if (value == "none") {
    config.mpi = MpiChoice::kNone;
  } else if (value == "openmpi") {
    config.mpi = MpiChoice::kOpenMpi;
  } else if (value == "mpich") {
    config.mpi = MpiChoice::kMpich;
  } else {
    refuse(who, value, "auto, none, openmpi or mpich");
  }
}

void set_trace(Config& config, std::string_view who, std::string_view value) {
  if (value.size() >= config.trace.text.size() || value.find('\0') != std::string_view::npos)
    refuse(who, value, fmt::format("a name of less than {} bytes", config.trace.text.size()));
  if (value == "-") refuse(who, value, "the name of a file");
  config.trace = {};
  std::copy(value.begin(), value.end(), config.trace.text.begin());
}

// ---- why an option has no effect ----

std::string_view without_other_locales(const Config& config, int processes) {
  return std::max(config.locales, processes) > 1 ? "" : "there is one locale";
}

std::string_view without_simulated_links(const Config& config, int processes) {
  if (processes > 0) return "the network between processes is not simulated";
  return without_other_locales(config, processes);
}

std::string_view without_draws(const Config& config, int processes) {
  return config.shuffle || config.is_simulated() ? "" : without_simulated_links(config, processes);
}

std::string_view without_loss(const Config& config, int) {
  return config.simulation.lose_locale >= 0 ? "" : "no --lose-locale is lost";
}

std::string_view without_heartbeats(const Config& config, int processes) {
  return processes > 1 || config.simulation.lose_locale >= 0 ? "" : "there are no other processes";
}

// Several are refused there, by the run.
std::string_view of_a_job(const Config& config, int processes) {
  return processes > 0 && config.locales == 1 ? "the processes of the job are the locales" : "";
}

std::string_view without_launcher(const Config& config, int processes) {
  const bool names_library = config.mpi == MpiChoice::kOpenMpi || config.mpi == MpiChoice::kMpich;
  return names_library && processes == 0 ? "no launcher has started this process" : "";
}

std::string_view simulated_anyway(const Config& config, int) {
  return config.locales > 1 ? "several locales in one process are always simulated" : "";
}

std::string_view without_simulation(const Config& config, int) {
  return config.is_simulated() ? "" : "nothing is simulated";
}

std::string_view on_virtual_clock(const Config& config, int) {
  return config.simulation.mode == SimulationMode::kDeterministic
             ? "a deterministic simulation has one thread and a virtual clock"
             : "";
}

std::string_view without_trace(const Config& config, int) {
  return config.trace.empty() ? "there is no --trace" : "";
}

using C = Config;
using S = SimulationConfig;
constexpr int kManyCores = 65536;  // as many as a global address can name
constexpr int kAnyInt = std::numeric_limits<int>::max();

// name, environment, value, help, default
constexpr std::array kOptions = {
    Option{{"cores", "GRAPPA_CORES", "N", "cores of each locale", "all usable"},
           set_count<&C::cores, 0, kManyCores>,
           same<&C::cores>},
    Option{{"locales", "GRAPPA_LOCALES", "N", "locales; more than one are simulated", "1"},
           set_count<&C::locales, 1, kManyCores>,
           same<&C::locales>,
           of_a_job},
    Option{{"mpi", "GRAPPA_MPI", "auto|none|openmpi|mpich",
            "the MPI library of the launcher; none: run alone", "auto"},
           set_mpi,
           same<&C::mpi>,
           without_launcher},
    Option{{"lost-after", "GRAPPA_LOST_AFTER", "TIME",
            "a process of a job that is silent for longer is lost; 0: never", "5s"},
           set_time<&C::lost_after_ns>,
           same<&C::lost_after_ns>,
           without_heartbeats},
    Option{{"simulated", "GRAPPA_SIMULATED", "on|off", "simulate the network of one locale, too",
            "off"},
           set_switch<&C::simulated>,
           same<&C::simulated>,
           simulated_anyway},
    Option{{"simulation-mode", "GRAPPA_SIMULATION_MODE", "timed|deterministic",
            "real threads and time, or one thread and a virtual clock", "timed"},
           set_simulation_mode,
           same<&S::mode>,
           without_simulation},
    Option{{"latency", "GRAPPA_LATENCY", "TIME", "latency of the simulated network", "1us"},
           set_time<&S::latency_ns>,
           same<&S::latency_ns>,
           without_simulated_links},
    Option{{"bandwidth", "GRAPPA_BANDWIDTH", "SIZE",
            "bandwidth of each simulated link, a second; 0: unlimited", "0"},
           set_size<&S::bandwidth_bytes_per_s>,
           same<&S::bandwidth_bytes_per_s>,
           without_simulated_links},
    Option{{"reorder", "GRAPPA_REORDER", "P", "probability that a packet is overtaken", "0"},
           set_probability,
           same<&S::reorder>,
           without_simulated_links},
    Option{{"simulation-seed", "GRAPPA_SIMULATION_SEED", "N", "seed of all that a simulation draws",
            "1"},
           set_seed,
           same<&S::seed>,
           without_draws},
    Option{
        {"lose-locale", "GRAPPA_LOSE_LOCALE", "N", "simulated locale that is lost; -1: none", "-1"},
        set_count<&S::lose_locale, -1, kManyCores - 1>,
        same<&S::lose_locale>},
    Option{{"lose-at", "GRAPPA_LOSE_AT", "TIME", "when it is lost", "0"},
           set_time<&S::lose_at_ns>,
           same<&S::lose_at_ns>,
           without_loss},
    Option{{"pin", "GRAPPA_PIN", "on|off", "bind each core's thread to a processor", "on"},
           set_switch<&C::pin>,
           same<&C::pin>,
           on_virtual_clock},
    Option{{"stack-size", "GRAPPA_STACK_SIZE", "SIZE", "stack of a task that blocks", "64KiB"},
           set_size<&C::stack_bytes>,
           same<&C::stack_bytes>},
    Option{{"large-stack-size", "GRAPPA_LARGE_STACK_SIZE", "SIZE",
            "stack of the function given to run, and of tasks spawned for a large one", "8MiB"},
           set_size<&C::large_stack_bytes>,
           same<&C::large_stack_bytes>},
    Option{{"coroutine-memory", "GRAPPA_COROUTINE_MEMORY", "SIZE",
            "at most, for the frames of coroutines, a core", "1GiB"},
           set_size<&C::coroutine_bytes>,
           same<&C::coroutine_bytes>},
    Option{{"stacks", "GRAPPA_STACKS", "guarded|huge|canary", "how stacks are protected and backed",
            "guarded"},
           set_stacks,
           same<&C::stacks>},
    Option{{"max-forall-workers", "GRAPPA_MAX_FORALL_WORKERS", "N",
            "workers that forall starts itself, a core", "1024"},
           set_count<&C::max_forall_workers, 1, kAnyInt>,
           same<&C::max_forall_workers>},
    Option{
        {"prefetch-distance", "GRAPPA_PREFETCH_DISTANCE", "N|auto",
         "switches between the prefetch of a worker and its run; 0: none; auto: measured", "auto"},
        set_prefetch_distance,
        same<&C::prefetch_distance>},
    Option{{"batch-prefetch", "GRAPPA_BATCH_PREFETCH", "N",
            "messages between the prefetch of a target and its update; 0: none", "32"},
           set_count<&C::batch_prefetch, 0, 1024>,
           same<&C::batch_prefetch>},
    Option{{"spin", "GRAPPA_SPIN", "TIME", "how long an idle core spins before it parks", "100us"},
           set_time<&C::spin_ns>,
           same<&C::spin_ns>,
           on_virtual_clock},
    Option{
        {"stall", "GRAPPA_STALL", "TIME", "name a task that holds its core longer; 0: never", "5s"},
        set_time<&C::stall_ns>,
        same<&C::stall_ns>,
        on_virtual_clock},
    Option{{"chunk-size", "GRAPPA_CHUNK_SIZE", "SIZE", "messages leave in chunks of this size",
            "64KiB"},
           set_size<&C::chunk_bytes>,
           same<&C::chunk_bytes>},
    Option{{"flush", "GRAPPA_FLUSH", "TIME", "age at which a chunk that is not full leaves", "1ms"},
           set_time<&C::flush_ns>,
           same<&C::flush_ns>},
    Option{{"in-flight", "GRAPPA_IN_FLIGHT", "SIZE",
            "bytes on their way from a core to other locales before it waits", "16MiB"},
           set_size<&C::in_flight_bytes>,
           same<&C::in_flight_bytes>,
           without_other_locales},
    Option{{"route", "GRAPPA_ROUTE", "flat|two-hop",
            "messages go straight to their locale, or through a grid of locales", "flat"},
           set_route,
           same<&C::route>,
           without_other_locales},
    Option{{"comm-core", "GRAPPA_COMM_CORE", "on|off",
            "one processor of each locale does nothing but move packets", "off"},
           set_switch<&C::comm_core>,
           same<&C::comm_core>,
           without_other_locales},
    Option{
        {"heap-block", "GRAPPA_HEAP_BLOCK", "SIZE", "block of the block-cyclic global heap", "64"},
        set_size<&C::heap_block_bytes>,
        same<&C::heap_block_bytes>},
    Option{{"bin-size", "GRAPPA_BIN_SIZE", "SIZE", "memory for updates binned by address, a core",
            "512MiB"},
           set_size<&C::bin_bytes>,
           same<&C::bin_bytes>},
    Option{{"shuffle", "GRAPPA_SHUFFLE", "on|off", "run ready tasks in random order",
            "on in debug builds"},
           set_switch<&C::shuffle>,
           same<&C::shuffle>},
    Option{{"combining", "GRAPPA_COMBINING", "on|off",
            "let requests of a core's tasks to one container meet before they travel", "on"},
           set_switch<&C::combining>,
           same<&C::combining>},
    Option{{"scan-payloads", "GRAPPA_SCAN_PAYLOADS", "on|off",
            "refuse messages that hold pointers to their sender",
            "on in debug builds, simulation; closures of loops elsewhere"},
           set_switch<&C::scan_payloads>,
           same<&C::scan_payloads>},
    Option{{"stats", "GRAPPA_STATS", "on|off",
            "print at the end where the time went, and the metrics", "off"},
           set_switch<&C::stats>,
           same<&C::stats>},
    Option{
        {"stats-every", "GRAPPA_STATS_EVERY", "TIME",
         "take samples of tasks and messages so often, for --stats-json and --plot; 0: never", "0"},
        set_time<&C::stats_every_ns>,
        same<&C::stats_every_ns>},
    Option{{"trace", "GRAPPA_TRACE", "FILE", "write a timeline of the run, for ui.perfetto.dev",
            "none"},
           set_trace,
           same<&C::trace>},
    Option{{"trace-memory", "GRAPPA_TRACE_MEMORY", "SIZE",
            "for the timeline's events, a core; the oldest are dropped", "16MiB"},
           set_size<&C::trace_bytes>,
           same<&C::trace_bytes>,
           without_trace},
};

}  // namespace

std::span<const Option> options() { return kOptions; }

const Option* find_option(std::string_view name) {
  const auto found = std::find_if(kOptions.begin(), kOptions.end(),
                                  [&](const Option& option) { return option.info.name == name; });
  return found == kOptions.end() ? nullptr : &*found;
}

}  // namespace grappa::config_detail
