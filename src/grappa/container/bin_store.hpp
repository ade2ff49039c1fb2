#pragma once

// The bins of one core: pending updates of a large array, sorted by the part of the array they
// touch.
//
// An update is appended to the open line of its bin; a full line of 64 bytes goes past the caches,
// by streaming stores, into the bin's current block, so that binning costs memory bandwidth and not
// cache. Blocks come from a pool of a fixed size and are handed to the home core of the bin as
// chains, by pointer (within a locale) or as messages.
//
// Used by one core, except `give_back`, which the homes of the locale call.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "grappa/base/huge_pages.hpp"

namespace grappa::internal {

inline constexpr std::size_t kLineBytes = 64;

struct alignas(kLineBytes) BinBlock {
  static constexpr std::size_t kBytes = 8192;
  static constexpr std::size_t kLines = kBytes / kLineBytes - 1;

  BinBlock* next = nullptr;
  std::uint32_t full_lines = 0;
  std::uint32_t last_entries = 0;  // entries in the line behind the full ones

  std::byte* lines() { return reinterpret_cast<std::byte*>(this) + sizeof(BinBlock); }
};
static_assert(sizeof(BinBlock) == kLineBytes);

class BinStore {
 public:
  /// `bytes` of blocks for `bins` bins; entries of `entry_bytes`.
  BinStore(std::size_t bins, std::size_t bytes, std::size_t entry_bytes);
  BinStore(const BinStore&) = delete;
  BinStore& operator=(const BinStore&) = delete;

  std::size_t bins() const { return counts_.size(); }

  /// Where the next entry of `bin` goes; call `appended` once it is written.
  std::byte* place(std::size_t bin, std::size_t entry_bytes) {
    return lines_.data() + bin * kLineBytes + counts_[bin] * entry_bytes;
  }
  /// Returns whether the pool has run dry: time to drain.
  bool appended(std::size_t bin) {
    if (++counts_[bin] != per_line_) return false;
    spill(bin);
    return exhausted_;
  }

  /// What appended() last returned, until all bins were taken.
  bool exhausted() const { return exhausted_; }

  /// Closes the bin and takes its chain of blocks, newest first; nullptr when it is empty.
  BinBlock* take(std::size_t bin);

  /// After all bins were taken.
  void drained() { exhausted_ = false; }

  /// Blocks that were handed out come back. Any core of the locale.
  void give_back(BinBlock* chain);

  std::size_t blocks_out() const { return blocks_out_; }
  /// Takes what was given back into the pool.
  void collect();

  /// Makes everything that place() and spill() wrote visible to those who learn of it afterwards.
  static void fence();

 private:
  void spill(std::size_t bin);
  BinBlock* new_block(std::size_t bin);

  std::uint32_t per_line_;
  bool exhausted_ = false;
  std::vector<std::uint32_t> counts_;  // entries in the open line of each bin
  std::vector<BinBlock*> open_;        // current block of each bin
  Mapping line_memory_;
  struct Lines {
    std::byte* start;
    std::byte* data() const { return start; }
  } lines_;
  Mapping pool_;
  std::byte* pool_next_;
  std::byte* pool_end_;
  BinBlock* free_ = nullptr;
  std::size_t free_blocks_ = 0;
  std::size_t blocks_out_ = 0;
  std::vector<std::unique_ptr<std::byte[]>>
      extra_;  // beyond the pool, for handlers that may not wait
  std::atomic<BinBlock*> returned_{nullptr};
};

}  // namespace grappa::internal
