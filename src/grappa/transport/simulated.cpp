#include "grappa/transport/simulated.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "grappa/base/clock.hpp"
#include "grappa/base/error.hpp"
#include "grappa/transport/simulated_endpoint.hpp"

namespace grappa::internal {

namespace {

SimulationConfig checked(const SimulationConfig& simulation, int locales,
                         const VirtualClock* clock) {
  if (locales < 1) {
    throw UsageError(fmt::format("simulation: {} locales asked, at least 1 is needed", locales));
  }
  if (!(simulation.reorder >= 0.0 && simulation.reorder <= 1.0)) {
    throw UsageError(
        fmt::format("simulation: the probability of reordering is {}, and must be from 0 to 1",
                    simulation.reorder));
  }
  if (simulation.latency_ns > kMaxLatencyNs) {
    throw UsageError(fmt::format("simulation: the latency is {} ns, and must be from 0 to {}",
                                 simulation.latency_ns, kMaxLatencyNs));
  }
  if (simulation.lose_locale < -1 || simulation.lose_locale >= locales) {
    throw UsageError(fmt::format("simulation: locale {} cannot be lost, there are 0 to {}",
                                 simulation.lose_locale, locales - 1));
  }
  if (simulation.mode == SimulationMode::kDeterministic && clock == nullptr) {
    throw UsageError("simulation: the deterministic mode needs a virtual clock");
  }
  return simulation;
}

}  // namespace

SimulatedNetwork::SimulatedNetwork(int locales, const SimulationConfig& simulation,
                                   VirtualClock* clock, std::size_t packet_bytes)
    : simulation_(checked(simulation, locales, clock)),
      clock_(simulation.mode == SimulationMode::kDeterministic ? clock : nullptr),
      lost_at_(static_cast<std::size_t>(locales)) {
  for (auto& time : lost_at_) time.store(kNever, std::memory_order_relaxed);
  if (simulation.lose_locale >= 0) {
    const std::uint64_t start = now();
    const std::uint64_t at =
        simulation.lose_at_ns < kNever - start ? start + simulation.lose_at_ns : kNever;
    lost_at_[static_cast<std::size_t>(simulation.lose_locale)].store(at, std::memory_order_relaxed);
  }
  endpoints_.reserve(static_cast<std::size_t>(locales));
  for (int locale = 0; locale < locales; ++locale) {
    endpoints_.push_back(std::make_unique<SimulatedEndpoint>(*this, locale, locales, packet_bytes));
  }
}

SimulatedNetwork::~SimulatedNetwork() {
  // Packets lie in the pools of their senders: all go back before the first pool is destroyed.
  for (auto& endpoint : endpoints_) endpoint->discard_all();
}

Endpoint& SimulatedNetwork::endpoint(int index) {
  if (index < 0 || index >= endpoint_count()) {
    throw UsageError(fmt::format("transport: no endpoint {}, they are numbered from 0 to {}", index,
                                 endpoint_count() - 1));
  }
  return at(index);
}

std::uint64_t SimulatedNetwork::in_flight() const {
  std::uint64_t sum = 0;
  for (const auto& endpoint : endpoints_) sum += endpoint->in_flight();
  return sum;
}

std::uint64_t SimulatedNetwork::earliest_arrival() const {
  std::uint64_t earliest = kNever;
  for (const auto& endpoint : endpoints_) earliest = std::min(earliest, endpoint->next_event_ns());
  return earliest;
}

void SimulatedNetwork::lose(int locale) {
  if (locale < 0 || locale >= locale_count()) {
    throw UsageError(fmt::format("simulation: locale {} cannot be lost, there are 0 to {}", locale,
                                 locale_count() - 1));
  }
  lost_at_[static_cast<std::size_t>(locale)].store(0, std::memory_order_seq_cst);
  at(locale).discard_all();
}

SimulatedEndpoint& SimulatedNetwork::at(int locale) const {
  return *endpoints_[static_cast<std::size_t>(locale)];
}

std::uint64_t SimulatedNetwork::now() const { return clock_ != nullptr ? clock_->now() : now_ns(); }

bool SimulatedNetwork::lost(int locale) const {
  std::atomic<std::uint64_t>& lost_at = lost_at_[static_cast<std::size_t>(locale)];
  const std::uint64_t at = lost_at.load(std::memory_order_relaxed);
  if (at == kNever || at > now()) return false;
  lost_at.store(0, std::memory_order_relaxed);
  return true;
}

}  // namespace grappa::internal
