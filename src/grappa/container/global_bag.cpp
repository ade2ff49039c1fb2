#include "grappa/container/global_bag.hpp"

#include "grappa/container/key_traits.hpp"
#include "grappa/parallel/runtime.hpp"

namespace grappa::internal {

std::mt19937_64 random_here(std::uint64_t seed) {
  return std::mt19937_64(hash_number(seed ^ hash_number(static_cast<std::uint64_t>(this_core()))));
}

std::vector<std::int64_t> draw_shares(std::uint64_t seed, std::size_t count) {
  std::vector<std::int64_t> shares(static_cast<std::size_t>(core_count()));
  std::mt19937_64 random = random_here(seed);
  std::uniform_int_distribution<std::size_t> any(0, shares.size() - 1);
  while (count-- > 0) ++shares[any(random)];
  return shares;
}

std::vector<Transfer> plan_balance(std::span<const std::int64_t> sizes) {
  const std::int64_t cores = std::ssize(sizes);
  std::int64_t total = 0;
  for (const std::int64_t size : sizes) total += size;
  const auto target = [&](std::int64_t core) { return total / cores + (core < total % cores); };
  std::vector<Transfer> plan;
  std::int64_t to = 0;
  std::int64_t filled = 0;  // of what `to` lacks
  for (std::int64_t from = 0; from < cores; ++from) {
    std::int64_t over = sizes[static_cast<std::size_t>(from)] - target(from);
    while (over > 0) {
      const std::int64_t lacks = target(to) - sizes[static_cast<std::size_t>(to)] - filled;
      if (lacks <= 0) {
        ++to;
        filled = 0;
        continue;
      }
      const std::int64_t count = std::min(over, lacks);
      plan.push_back({static_cast<int>(from), static_cast<int>(to), count});
      over -= count;
      filled += count;
    }
  }
  return plan;
}

}  // namespace grappa::internal
