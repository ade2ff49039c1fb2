#pragma once

// What a core does, at one moment of a run (sampler.hpp).

#include <cstdint>

#include "grappa/base/activity_clock.hpp"

namespace grappa::internal {

/// Of one core at one time. All but the tasks are counted from the start of the run.
struct CoreSample {
  std::uint64_t ns = 0;  // since the start
  std::uint64_t tasks = 0;
  std::uint64_t suspended = 0;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  ActivityTimes times{};
};

}  // namespace grappa::internal
