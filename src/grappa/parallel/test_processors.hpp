#pragma once

// For tests: how many processors there are. Asking the system takes a millisecond, and hundreds of
// configurations ask.

#include "grappa/base/topology.hpp"

namespace grappa {

inline int test_processors() {
  static const int count = static_cast<int>(internal::usable_cpus().size());
  return count;
}

}  // namespace grappa
