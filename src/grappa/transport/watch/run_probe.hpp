#pragma once

// What the watch of a job asks of the run in its process, to find deadlocks.

#include <cstdint>
#include <string>

#include "grappa/transport/watch/watch_frame.hpp"

namespace grappa::internal {

class RunProbe {
 public:
  virtual ~RunProbe() = default;

  /// From the thread of the watch, at any time during the run.
  virtual RunReport report() const = 0;

  struct Waits {
    std::uint64_t tasks = 0;  // that are suspended
    std::string text;         // a line for each, or for some
  };
  /// Only after a report that was quiet, and as long as no packet arrives.
  virtual Waits waits() const = 0;
};

}  // namespace grappa::internal
