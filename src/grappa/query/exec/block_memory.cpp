#include "grappa/query/exec/block_memory.hpp"

#include <mutex>
#include <utility>
#include <vector>

namespace grappa::query {
namespace {

using grappa::internal::Mapping;

/// Of the process.
class LargeBlocks {
 public:
  Mapping take() {
    {
      const std::lock_guard guard(lock_);
      if (!free_.empty()) {
        Mapping block = std::move(free_.back());
        free_.pop_back();
        return block;
      }
    }
    Mapping block = Mapping::reserve({.bytes = BlockMemory::kLarge,
                                      .alignment = grappa::internal::huge_page_size(),
                                      .purpose = "the rows of a query"});
    grappa::internal::advise_huge(block.data(), block.size());
    return block;
  }
  void give_back(Mapping block) {
    const std::lock_guard guard(lock_);
    if (free_.size() < BlockMemory::kMostKept / BlockMemory::kLarge)
      free_.push_back(std::move(block));
  }

 private:
  std::mutex lock_;
  std::vector<Mapping> free_;
};

/// Never destroyed: threads may have blocks until the very end.
LargeBlocks& large_blocks() {
  static auto* const blocks = new LargeBlocks();
  return *blocks;
}

}  // namespace

BlockMemory::BlockMemory(std::size_t bytes) {
  if (bytes == kLarge)
    large_ = large_blocks().take();
  else
    small_ = std::make_unique_for_overwrite<std::byte[]>(bytes);
}

BlockMemory::~BlockMemory() {
  if (large_) large_blocks().give_back(std::move(large_));
}

}  // namespace grappa::query
