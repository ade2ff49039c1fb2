#include "grappa/transport/watch/watch_graph.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace grappa::internal {
namespace {

bool watches(int rank, int peer, int size) {
  const std::vector<int> peers = watched_peers(rank, size);
  return std::find(peers.begin(), peers.end(), peer) != peers.end();
}

TEST(WatchGraph, SmallJobsWatchEverybody) {
  for (const int size : {2, 3, 64}) {
    for (int rank = 0; rank < size; ++rank)
      EXPECT_EQ(watched_peers(rank, size).size(), static_cast<std::size_t>(size - 1));
  }
}

TEST(WatchGraph, IsSymmetricAndWithoutOneself) {
  for (const int size : {1, 2, 5, 64, 65, 200}) {
    for (int rank = 0; rank < size; ++rank) {
      for (const int peer : watched_peers(rank, size)) {
        EXPECT_NE(peer, rank);
        EXPECT_TRUE(watches(peer, rank, size)) << rank << " and " << peer << " of " << size;
      }
    }
  }
}

TEST(WatchGraph, LargeJobsHaveFewConnectionsAndManyWatchers) {
  constexpr int kSize = 1000;
  EXPECT_EQ(watched_peers(0, kSize).size(), std::size_t{kSize - 1});
  for (int rank = 1; rank < kSize; ++rank) {
    EXPECT_GE(watched_peers(rank, kSize).size(), 4u);
    EXPECT_LE(watched_peers(rank, kSize).size(), 5u);
  }
}

// Whoever is gone, news of it reaches all the others.
TEST(WatchGraph, StaysConnectedWithoutAnyOne) {
  for (const int size : {3, 65, 130}) {
    for (int lost = 0; lost < size; lost += 7) {
      std::vector<bool> reached(static_cast<std::size_t>(size));
      std::vector<int> front{lost == 0 ? 1 : 0};
      reached[static_cast<std::size_t>(front[0])] = true;
      int count = 1;
      while (!front.empty()) {
        const int rank = front.back();
        front.pop_back();
        for (const int peer : watched_peers(rank, size)) {
          if (peer == lost || reached[static_cast<std::size_t>(peer)]) continue;
          reached[static_cast<std::size_t>(peer)] = true;
          ++count;
          front.push_back(peer);
        }
      }
      EXPECT_EQ(count, size - 1) << lost << " of " << size;
    }
  }
}

}  // namespace
}  // namespace grappa::internal
