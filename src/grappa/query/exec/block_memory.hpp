#pragma once

// BlockMemory: memory for a block of rows, its bytes not set.
//
//   BlockMemory block(BlockMemory::kLarge);
//   std::byte* const row = block.data();
//
// Large blocks are huge pages where there are such, and up to kMostKept bytes of those that nobody
// has any more wait for the next query: clearing new pages takes a good part of the time of one
// that keeps many rows. Any core.

#include <cstddef>
#include <memory>

#include "grappa/base/huge_pages.hpp"

namespace grappa::query {

class BlockMemory {
 public:
  static constexpr std::size_t kLarge = std::size_t{2} << 20;
  static constexpr std::size_t kMostKept = std::size_t{256} << 20;

  explicit BlockMemory(std::size_t bytes);
  ~BlockMemory();
  BlockMemory(BlockMemory&&) noexcept = default;
  BlockMemory& operator=(BlockMemory&&) noexcept = delete;
  BlockMemory(const BlockMemory&) = delete;
  BlockMemory& operator=(const BlockMemory&) = delete;

  std::byte* data() const { return large_ ? large_.data() : small_.get(); }

 private:
  std::unique_ptr<std::byte[]> small_;
  grappa::internal::Mapping large_;  // if it has kLarge bytes
};

}  // namespace grappa::query
