#include "cli/slow_simulation.hpp"

#include <fmt/format.h>

#include <string>

#include "grappa/base/log.hpp"

namespace grappa::cli {
namespace {

// Of components of a graph of a thousand vertices, on two locales.
constexpr double kMessagesInARow = 200;
constexpr double kBytes = 5e5;
// Every locale greets every other one.
constexpr double kSecondsAPair = 1e-4;

std::string words_of(double seconds) {
  constexpr double kMinute = 60;
  constexpr double kHour = 60 * kMinute;
  constexpr double kDay = 24 * kHour;
  if (seconds < 2 * kMinute) return fmt::format("{:.0f} seconds", seconds);
  if (seconds < 2 * kHour) return fmt::format("{:.0f} minutes", seconds / kMinute);
  if (seconds < 2 * kDay) return fmt::format("{:.0f} hours", seconds / kHour);
  return fmt::format("{:.0f} days", seconds / kDay);
}

}  // namespace

double least_simulated_seconds(const Config& config) {
  if (config.locales == 1) return 0;
  const auto locales = static_cast<double>(config.locales);
  double seconds = locales * locales * kSecondsAPair;
  const SimulationConfig& network = config.simulation;
  if (network.mode == SimulationMode::kDeterministic) return seconds;  // its clock is virtual
  seconds += kMessagesInARow * static_cast<double>(network.latency_ns) * 1e-9;
  if (network.bandwidth_bytes_per_s != 0)
    seconds += kBytes / static_cast<double>(network.bandwidth_bytes_per_s);
  return seconds;
}

void warn_of_slow_simulation(const Config& config) {
  constexpr double kLong = 10;
  if (const double seconds = least_simulated_seconds(config); seconds > kLong) {
    internal::log_info(
        "even a small run will take about {} with these --locales, --latency and --bandwidth",
        words_of(seconds));
  }
}

}  // namespace grappa::cli
