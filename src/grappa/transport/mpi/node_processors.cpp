#include "grappa/transport/mpi/node_processors.hpp"

#include <algorithm>

namespace grappa::internal {
namespace {

bool overlap(const std::vector<int>& a, const std::vector<int>& b) {
  return std::any_of(a.begin(), a.end(),
                     [&](int cpu) { return std::find(b.begin(), b.end(), cpu) != b.end(); });
}

}  // namespace

std::vector<int> portion_of_node(const std::vector<std::vector<int>>& usable, std::size_t me) {
  // The union of all that is connected with mine by overlaps.
  std::vector<int> pool = usable[me];
  std::vector<bool> inside(usable.size());
  inside[me] = true;
  for (bool grown = true; grown;) {
    grown = false;
    for (std::size_t i = 0; i < usable.size(); ++i) {
      if (inside[i] || !overlap(pool, usable[i])) continue;
      inside[i] = grown = true;
      for (const int cpu : usable[i]) {
        if (std::find(pool.begin(), pool.end(), cpu) == pool.end()) pool.push_back(cpu);
      }
    }
  }
  const auto sharers = static_cast<std::size_t>(std::count(inside.begin(), inside.end(), true));
  if (sharers == 1) return usable[me];
  // Everybody has to see the pool in the same order: that of its first member.
  const auto first =
      static_cast<std::size_t>(std::find(inside.begin(), inside.end(), true) - inside.begin());
  std::vector<int> ordered = usable[first];
  std::sort(pool.begin(), pool.end());
  for (const int cpu : pool) {
    if (std::find(ordered.begin(), ordered.end(), cpu) == ordered.end()) ordered.push_back(cpu);
  }
  const auto place = static_cast<std::size_t>(
      std::count(inside.begin(), inside.begin() + static_cast<std::ptrdiff_t>(me), true));
  if (ordered.size() < sharers) return {ordered[place % ordered.size()]};
  const std::size_t from = place * ordered.size() / sharers;
  const std::size_t to = (place + 1) * ordered.size() / sharers;
  return {ordered.begin() + static_cast<std::ptrdiff_t>(from),
          ordered.begin() + static_cast<std::ptrdiff_t>(to)};
}

std::vector<int> left_over(const std::vector<int>& processors,
                           const std::vector<std::vector<int>>& usable) {
  std::vector<int> left;
  for (const int cpu : processors) {
    if (std::none_of(usable.begin(), usable.end(),
                     [&](const std::vector<int>& some) { return overlap(some, {cpu}); })) {
      left.push_back(cpu);
    }
  }
  return left;
}

}  // namespace grappa::internal
