#include "grappa/transport/watch/watch_graph.hpp"

#include <set>

namespace grappa::internal {
namespace {
constexpr int kMaxFullyMeshed = 64;
constexpr int kRingNeighbors = 2;  // on either side
}  // namespace

std::vector<int> watched_peers(int rank, int size) {
  std::set<int> peers;
  if (size <= kMaxFullyMeshed || rank == 0) {
    for (int peer = 0; peer < size; ++peer) peers.insert(peer);
  } else {
    peers.insert(0);
    for (int distance = 1; distance <= kRingNeighbors; ++distance) {
      peers.insert((rank + distance) % size);
      peers.insert((rank + size - distance) % size);
    }
  }
  peers.erase(rank);
  return {peers.begin(), peers.end()};
}

}  // namespace grappa::internal
