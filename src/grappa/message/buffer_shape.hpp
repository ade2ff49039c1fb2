#pragma once

// What a core may send to: the numbers that its buffers and credits are made from. The same in all
// locales, so that both ends of a credit agree about it.

#include <cstddef>
#include <cstdint>

#include "grappa/base/config.hpp"

namespace grappa::internal {

class Route;

struct BufferShape {
  BufferShape(const Route& route, int cores_each, const Config& config);

  std::size_t chunk_bytes;      // of batches in a chunk
  std::uint32_t local_credit;   // bytes under way in a lane to a core of this locale
  std::uint32_t remote_credit;  // and to another locale; 0 if there is none
};

}  // namespace grappa::internal
