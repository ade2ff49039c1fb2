#include "grappa/base/config.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <string>
#include <vector>

#include "grappa/base/config_options.hpp"
#include "grappa/base/error.hpp"
#include "grappa/base/huge_pages.hpp"
#include "grappa/base/text_values.hpp"
#include "grappa/base/topology.hpp"

namespace grappa {
namespace {

constexpr std::string_view kPrefix = "GRAPPA_";
constexpr int kMaxCores = 65536;  // 16 bits of a global address

template <std::string_view OptionInfo::* Name>
std::vector<std::string_view> known_names() {
  std::vector<std::string_view> names;
  for (const OptionInfo& option : config_options()) names.push_back(option.*Name);
  return names;
}

void set_from_environment(Config& config, std::string_view variable, std::string_view value) {
  for (const config_detail::Option& option : config_detail::options()) {
    if (option.info.environment == variable) {
      option.set(config, variable, value);
      return;
    }
  }
  // Others may have variables with our prefix, as a script that says where Grappa is.
  const std::string_view meant =
      internal::nearest_name(variable, known_names<&OptionInfo::environment>());
  if (internal::is_near(variable.substr(kPrefix.size()), meant.substr(kPrefix.size()))) {
    throw UsageError(fmt::format("{}: no such variable; the nearest is {}", variable, meant));
  }
}

void require(bool condition, const std::string& message) {
  if (!condition) throw UsageError(message);
}

void validate_size(std::string_view name, std::size_t bytes, std::size_t least, std::size_t most) {
  require(bytes >= least && bytes <= most,
          fmt::format("{}: {} asked, from {} to {} is allowed", name, internal::format_bytes(bytes),
                      internal::format_bytes(least), internal::format_bytes(most)));
}

void validate_least(std::string_view name, int value, int least) {
  require(value >= least, fmt::format("{}: {} asked, at least {} is allowed", name, value, least));
}

void validate_machine(const Config& config, int usable_cpus) {
  validate_least("cores", config.cores, 0);
  validate_least("locales", config.locales, 1);
  require(config.is_simulated() || config.cores <= usable_cpus,
          fmt::format("cores: {} asked, this machine offers {} to {}; use --cores {}", config.cores,
                      usable_cpus,
                      internal::is_thread_narrowed()
                          ? "the thread that starts the run (its affinity mask, which is narrower "
                            "than that of the program's first thread)"
                          : "this process (affinity mask, cgroup limit)",
                      usable_cpus));
  const std::int64_t total =
      std::int64_t{internal::cores_of_each_locale(config, usable_cpus)} * config.locales;
  require(total <= kMaxCores,
          fmt::format("cores: {} locales of {} cores are {} cores, at most {} are allowed",
                      config.locales, internal::cores_of_each_locale(config, usable_cpus), total,
                      kMaxCores));
}

void validate_simulation(const Config& config) {
  const SimulationConfig& simulation = config.simulation;
  require(
      simulation.reorder >= 0 && simulation.reorder <= 1,
      fmt::format("reorder: {} asked, a probability from 0 to 1 is allowed", simulation.reorder));
  require(simulation.lose_locale < 0 || config.locales > 1,
          "lose-locale: simulated locales can be lost while there are others; give --locales N");
  require(simulation.lose_locale >= -1 && simulation.lose_locale < config.locales,
          fmt::format("lose-locale: {} asked, there are locales 0 to {}, or -1 for none",
                      simulation.lose_locale, config.locales - 1));
  require(!config.comm_core || simulation.mode != SimulationMode::kDeterministic,
          "comm-core: a deterministic simulation runs on one thread; leave it out");
}

void validate_tasks(const Config& config) {
  constexpr std::size_t kMinStack = 8 * 1024;
  constexpr std::size_t kMaxStack = std::size_t{1} << 30;
  const auto validate_stack = [](std::string_view name, std::size_t bytes) {
    validate_size(name, bytes, kMinStack, kMaxStack);
    require(bytes % internal::page_size() == 0,
            fmt::format("{}: {} asked, whole pages of {} are allowed; use --{} {}", name, bytes,
                        internal::format_bytes(internal::page_size()), name,
                        internal::round_up(bytes, internal::page_size())));
  };
  validate_stack("stack-size", config.stack_bytes);
  validate_stack("large-stack-size", config.large_stack_bytes);
  validate_size("coroutine-memory", config.coroutine_bytes, 64 * 1024, std::size_t{1} << 44);
  validate_least("max-forall-workers", config.max_forall_workers, 1);
  validate_least("prefetch-distance", config.prefetch_distance.value_or(0), 0);
  validate_least("batch-prefetch", config.batch_prefetch, 0);
}

void validate_memory(const Config& config) {
  validate_size("chunk-size", config.chunk_bytes, 1024, std::size_t{64} << 20);
  validate_size("in-flight", config.in_flight_bytes, 4096, std::size_t{1} << 40);
  // Less than a cache line would let two cores write to one.
  validate_size("heap-block", config.heap_block_bytes, 64, std::size_t{1} << 30);
  require(std::has_single_bit(config.heap_block_bytes),
          fmt::format("heap-block: {} asked, a power of two is needed; use --heap-block {}",
                      config.heap_block_bytes, std::bit_ceil(config.heap_block_bytes)));
}

void validate_reports(const Config& config) {
  validate_size("trace-memory", config.trace_bytes, 4096, std::size_t{1} << 36);
  require(config.stats_every_ns == 0 || config.stats_every_ns >= 1'000'000,
          "stats-every: at least 1ms is allowed");
}

}  // namespace

bool is_debug_build() noexcept {
#ifdef NDEBUG
  return false;
#else
  return true;
#endif
}

Config Config::with_environment() const {
  Config config = *this;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const std::size_t equals = text.find('=');
    if (!text.starts_with(kPrefix) || equals == std::string_view::npos) continue;
    set_from_environment(config, text.substr(0, equals), text.substr(equals + 1));
  }
  return config;
}

std::span<const OptionInfo> config_options() {
  static const std::vector<OptionInfo> infos = [] {
    std::vector<OptionInfo> result;
    for (const config_detail::Option& option : config_detail::options()) {
      result.push_back(option.info);
    }
    return result;
  }();
  return infos;
}

void set_option(Config& config, std::string_view name, std::string_view value) {
  const config_detail::Option* option = config_detail::find_option(name);
  if (option == nullptr) {
    throw UsageError(
        fmt::format("--{}: no such option{}", name,
                    internal::nearest_hint(name, known_names<&OptionInfo::name>(), "--")));
  }
  option->set(config, fmt::format("--{}", name), value);
}

namespace internal {

std::string_view first_difference(const Config& a, const Config& b) {
  for (const config_detail::Option& option : config_detail::options()) {
    if (!option.same(a, b)) return option.info.name;
  }
  return {};
}

}  // namespace internal

void validate(const Config& config) {
  validate(config, static_cast<int>(internal::usable_cpus().size()));
}

void validate(const Config& config, int usable_cpus) {
  validate_machine(config, usable_cpus);
  validate_simulation(config);
  validate_tasks(config);
  validate_memory(config);
  validate_reports(config);
}

namespace internal {

int cores_of_each_locale(const Config& config, int usable_cpus) noexcept {
  if (config.cores > 0) return config.cores;
  const int portion = usable_cpus / std::max(1, config.locales);
  return std::max(1, config.comm_core && config.locales > 1 ? portion - 1 : portion);
}

}  // namespace internal

}  // namespace grappa
