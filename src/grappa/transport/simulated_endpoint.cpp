#include "grappa/transport/simulated_endpoint.hpp"

#include <algorithm>

namespace grappa::internal {

namespace {

// Sums of simulated times stay below kNever, which means something else. `span` is below it, too.
std::uint64_t add_times(std::uint64_t time, std::uint64_t span) {
  return time < kNever - 1 - span ? time + span : kNever - 1;
}

// The time that `bytes` occupy a link, rounded up. The product fits: packets are below 4 GiB.
std::uint64_t serialization_ns(std::uint32_t bytes, std::uint64_t bytes_per_s) {
  if (bytes_per_s == 0) return 0;
  const std::uint64_t scaled = std::uint64_t{bytes} * 1'000'000'000;
  return scaled / bytes_per_s + (scaled % bytes_per_s != 0 ? 1 : 0);
}

// SplitMix64 (Steele, Lea, Flood 2014): small state, and any seed is a good one.
std::uint64_t next_random(std::uint64_t& state) {
  state += 0x9e3779b97f4a7c15;
  std::uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

double next_fraction(std::uint64_t& state) {
  return static_cast<double>(next_random(state) >> 11) * 0x1.0p-53;
}

}  // namespace

SimulatedEndpoint::SimulatedEndpoint(SimulatedNetwork& network, int locale, int locale_count,
                                     std::size_t packet_bytes)
    : PooledEndpoint(locale, locale_count, packet_bytes),
      network_(network),
      links_(static_cast<std::size_t>(locale_count)) {
  std::uint64_t state = network.simulation_.seed;
  state = next_random(state) + static_cast<std::uint64_t>(locale);
  for (Link& link : links_) link.random_state = next_random(state);
}

SimulatedEndpoint::~SimulatedEndpoint() = default;

void SimulatedEndpoint::send(int destination, PacketBuffer* packet) {
  prepare_send(destination, packet);
  network_.at(destination).deliver(packet);
}

void SimulatedEndpoint::deliver(PacketBuffer* packet) {
  bool is_earliest = false;
  {
    const std::lock_guard lock(mutex_);
    if (network_.lost(locale()) || network_.lost(packet->source)) {
      dropped(packet);
      return;
    }
    const std::uint64_t time_ns = arrival_time(*packet);
    arrivals_.push_back({time_ns, sequence_++, packet});
    std::push_heap(arrivals_.begin(), arrivals_.end(), Later{});
    is_earliest = time_ns < earliest_ns_.load(std::memory_order_relaxed);
    publish_earliest();
  }
  if (is_earliest && wakeup_) wakeup_();
}

std::uint64_t SimulatedEndpoint::arrival_time(const PacketBuffer& packet) {
  const std::uint64_t now = network_.now();
  if (packet.source == locale()) return now;
  const SimulationConfig& simulation = network_.simulation_;
  Link& link = links_[static_cast<std::size_t>(packet.source)];
  link.free_at_ns = add_times(std::max(now, link.free_at_ns),
                              serialization_ns(packet.size, simulation.bandwidth_bytes_per_s));
  std::uint64_t time_ns = add_times(link.free_at_ns, simulation.latency_ns);
  if (simulation.reorder > 0 && next_fraction(link.random_state) < simulation.reorder) {
    const double most = static_cast<double>(std::max(simulation.latency_ns, kMinOvertakeNs)) *
                        static_cast<double>(kOvertakeLatencies);
    const double extra = next_fraction(link.random_state) * most;
    time_ns = add_times(time_ns, 1 + static_cast<std::uint64_t>(extra));
  }
  return time_ns;
}

PacketBuffer* SimulatedEndpoint::poll() {
  const std::uint64_t earliest = earliest_ns_.load(std::memory_order_relaxed);
  if (earliest == kNever || earliest > network_.now()) return nullptr;
  if (network_.lost(locale())) {
    discard_all();
    return nullptr;
  }
  const std::lock_guard lock(mutex_);
  PacketBuffer* packet = nullptr;
  while (packet == nullptr && !arrivals_.empty() && arrivals_.front().time_ns <= network_.now()) {
    packet = pop();
    if (network_.lost(packet->source)) {
      dropped(packet);
      packet = nullptr;
    }
  }
  publish_earliest();
  return packet == nullptr ? nullptr : received(packet);
}

std::uint64_t SimulatedEndpoint::next_event_ns() const {
  const std::uint64_t earliest = earliest_ns_.load(std::memory_order_seq_cst);
  return network_.lost(locale()) ? kNever : earliest;
}

bool SimulatedEndpoint::lost(int locale) const {
  check_locale(locale);
  return network_.lost(locale);
}

std::uint64_t SimulatedEndpoint::in_flight() const {
  if (network_.lost(locale())) return 0;
  const std::lock_guard lock(mutex_);
  return static_cast<std::uint64_t>(
      std::count_if(arrivals_.begin(), arrivals_.end(),
                    [&](const Arrival& a) { return !network_.lost(a.packet->source); }));
}

void SimulatedEndpoint::discard_all() {
  const std::lock_guard lock(mutex_);
  while (!arrivals_.empty()) dropped(pop());
  publish_earliest();
}

PacketBuffer* SimulatedEndpoint::pop() {
  std::pop_heap(arrivals_.begin(), arrivals_.end(), Later{});
  PacketBuffer* packet = arrivals_.back().packet;
  arrivals_.pop_back();
  return packet;
}

void SimulatedEndpoint::publish_earliest() {
  earliest_ns_.store(arrivals_.empty() ? kNever : arrivals_.front().time_ns,
                     std::memory_order_seq_cst);
}

}  // namespace grappa::internal
