#pragma once

// What the scheduler asks of the balancer that moves work between locales.

#include <cstdint>

namespace grappa::internal {

class LoadBalancer {
 public:
  virtual ~LoadBalancer() = default;
  /// The core has been without work since `idle_since`: asks another locale for some, if it is time
  /// to. True when it did.
  virtual bool ask(std::uint64_t idle_since) = 0;
  /// Called in each pass of the main context: tells locales that wait for work when this core has
  /// some to spare. True when it did.
  virtual bool offer() = 0;
  /// When (on the run's clock) `ask`, of a core without work since `idle_since`, or `offer` will do
  /// something, if nothing else happens until then; kNever if they will not. 0: busy.
  virtual std::uint64_t next_action(std::uint64_t idle_since) const = 0;
  static constexpr std::uint64_t kNever = UINT64_MAX;
};

}  // namespace grappa::internal
