#pragma once

// The credit that a core owes to cores of other locales for what it has received: counted until it
// is worth a message.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace grappa::internal {

class OwedCredit {
 public:
  static constexpr std::uint32_t kMaxReturned = (1u << 31) - 1;  // at a time

  /// Owes to `cores` cores, from `worth` bytes on each. Of no cores: nothing is ever owed.
  OwedCredit(std::size_t cores, std::uint32_t worth) : worth_(worth), owed_(cores) {}

  /// Owes `bytes` more to a core. Returns how many of all the bytes are to be sent back now, which
  /// are owed no more; 0: none.
  std::uint32_t add(std::size_t core, std::uint32_t bytes) {
    std::uint32_t& owed = owed_[core];
    owed += bytes;
    if (owed < worth_) return 0;
    const std::uint32_t returned = std::min(owed, kMaxReturned);
    owed -= returned;
    return returned;
  }

 private:
  const std::uint32_t worth_;
  std::vector<std::uint32_t> owed_;
};

}  // namespace grappa::internal
