#include "grappa/transport/transport.hpp"

#include "grappa/base/config.hpp"
#include "grappa/transport/loopback.hpp"
#include "grappa/transport/simulated.hpp"

namespace grappa::internal {

std::unique_ptr<Transport> make_transport(const Config& config, VirtualClock* clock) {
  if (config.is_simulated()) {
    return std::make_unique<SimulatedNetwork>(config.locales, config.simulation, clock);
  }
  return std::make_unique<LoopbackTransport>();
}

}  // namespace grappa::internal
