#pragma once

// For tests: a send that has to wait, so that other tasks of its core run in the middle of an
// operation.
//
//   run(test::little_credit(), [] {
//     test::use_up_credit(1);
//     delegate::async::call(1, [] { … });   // switches tasks
//   });

#include <array>
#include <cstddef>

#include "grappa/delegate/delegate.hpp"
#include "grappa/parallel/test_machines.hpp"

namespace grappa::test {

/// Two locales of one core; hardly anything may be on its way between them.
inline Config little_credit() {
  Config config = deterministic(2);
  config.chunk_bytes = 1024;
  config.in_flight_bytes = 4096;
  return config;
}

/// The next task of this core that sends something to `core`, of the other locale, waits.
inline void use_up_credit(int core) {
  delegate::async::call(core, [filler = std::array<std::byte, 8192>{}] { (void)filler; });
}

}  // namespace grappa::test
