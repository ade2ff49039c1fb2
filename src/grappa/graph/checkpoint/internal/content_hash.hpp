#pragma once

// A 64-bit hash of bytes that come piece by piece, for finding damage.
//
//   ContentHash hash;
//   hash.add(block);
//   hash.add(another);
//   if (hash.value() != expected) refuse();
//
// Does not depend on how the bytes are cut into pieces. Every step is invertible, so a change
// within any one aligned word of eight bytes always changes the value; other damage goes unnoticed
// once in 2^64 times. Some GB/s. Protects against accidents, not against forgery.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace grappa::graph {

class ContentHash {
 public:
  void add(std::span<const std::byte> bytes);
  std::uint64_t value() const;

 private:
  static constexpr std::size_t kLanes = 4;
  static constexpr std::size_t kBlock = kLanes * sizeof(std::uint64_t);

  void add_block(const std::byte* block);

  std::array<std::uint64_t, kLanes> lanes_ = {1, 2, 3, 4};
  std::array<std::byte, kBlock> rest_ = {};  // of a block
  std::size_t rest_bytes_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace grappa::graph
