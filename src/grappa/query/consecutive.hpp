#pragma once

// The places of columns that lie side by side.
//
//   std::vector<std::size_t> places = consecutive(3);      // 0, 1, 2
//   std::vector<std::size_t> behind = consecutive(2, 3);   // 3, 4

#include <cstddef>
#include <numeric>
#include <vector>

namespace grappa::query {

inline std::vector<std::size_t> consecutive(std::size_t count, std::size_t first = 0) {
  std::vector<std::size_t> places(count);
  std::iota(places.begin(), places.end(), first);
  return places;
}

}  // namespace grappa::query
