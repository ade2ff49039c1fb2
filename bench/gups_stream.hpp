#pragma once

// The indices of bench gups: the same for all of its loops.

#include <cstdint>

#include "bench/measure.hpp"

namespace grappa::bench {

struct GupsStream {
  int shift;  // 64 - log2 of the table's length
  std::int64_t operator()(std::int64_t i) const {
    return static_cast<std::int64_t>(mix(static_cast<std::uint64_t>(i)) * 0x9E3779B97F4A7C15ull >>
                                     shift);
  }
};

}  // namespace grappa::bench
