#include "grappa/message/buffer_shape.hpp"

#include <algorithm>

#include "grappa/message/chunk.hpp"
#include "grappa/message/route.hpp"

namespace grappa::internal {
namespace {

constexpr std::size_t kLocalCredit = 1 << 20;       // within the cache (more in flight is slower)
constexpr std::size_t kMaxRemoteCredit = 1 << 30;   // of one lane
constexpr std::size_t kMinCreditChunks = 4;         // fewer would let a sender and a receiver wait
constexpr std::size_t kOpenChunkBudget = 32 << 20;  // of a core's chunks when all lanes have one
constexpr std::size_t kMinChunkBytes = 2048;

}  // namespace

BufferShape::BufferShape(const Route& route, int cores_each, const Config& config) {
  const auto neighbors = static_cast<std::size_t>(route.most_neighbors());
  const auto cores = static_cast<std::size_t>(cores_each);
  const std::size_t scatter_lanes = route.is_flat() ? 0 : neighbors - 1;
  const std::size_t lanes = neighbors * cores + scatter_lanes;
  const std::size_t affordable = std::max(kMinChunkBytes, kOpenChunkBudget / lanes);
  const std::size_t whole_chunk =
      std::min(config.chunk_bytes, affordable) / alignof(Chunk) * alignof(Chunk);
  chunk_bytes = whole_chunk - sizeof(Chunk);
  const std::size_t least_credit = kMinCreditChunks * whole_chunk;
  local_credit = static_cast<std::uint32_t>(std::max(kLocalCredit, least_credit));
  const std::size_t remote_lanes = (neighbors - 1) * cores + scatter_lanes;
  remote_credit = remote_lanes == 0
                      ? 0
                      : static_cast<std::uint32_t>(std::clamp(config.in_flight_bytes / remote_lanes,
                                                              least_credit, kMaxRemoteCredit));
}

}  // namespace grappa::internal
