#pragma once

// For tests: messages of a known size that only count themselves, and tasks that send many of them.

#include <cstdint>

#include "grappa/message/aggregator.hpp"
#include "grappa/message/test_network.hpp"

namespace grappa::internal {

struct Filler {
  std::uint64_t* run;
  std::uint64_t content[15];
  void operator()(RunContext&) const noexcept { ++*run; }
};
static_assert(sizeof(Filler) == 128);

/// A task on core 0 that sends `count` of them to core `to`.
inline auto filler_task(TestNetwork& network, int to, int count, std::uint64_t* sent,
                        std::uint64_t* run) {
  return [&network, to, count, sent, run] {
    for (int i = 0; i < count; ++i) {
      network.core(0).messages->send(to, Filler{run, {}}, nullptr);
      ++*sent;
    }
  };
}

}  // namespace grappa::internal
