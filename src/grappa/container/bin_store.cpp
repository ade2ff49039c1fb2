#include "grappa/container/bin_store.hpp"

#include <algorithm>
#include <new>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace grappa::internal {
namespace {

/// Copies one line to memory that will not be read soon.
void stream_line(std::byte* to, const std::byte* from) {
#if defined(__AVX512F__)
  _mm512_stream_si512(reinterpret_cast<__m512i*>(to), _mm512_load_si512(from));
#elif defined(__SSE2__)
  for (std::size_t i = 0; i < kLineBytes; i += 16) {
    _mm_stream_si128(reinterpret_cast<__m128i*>(to + i),
                     _mm_load_si128(reinterpret_cast<const __m128i*>(from + i)));
  }
#else
  std::memcpy(to, from, kLineBytes);
#endif
}

}  // namespace

BinStore::BinStore(std::size_t bins, std::size_t bytes, std::size_t entry_bytes)
    : per_line_(static_cast<std::uint32_t>(kLineBytes / entry_bytes)),
      counts_(bins, 0),
      open_(bins, nullptr),
      line_memory_(Mapping::reserve({.bytes = bins * kLineBytes, .purpose = "the lines of bins"})),
      lines_{line_memory_.data()},
      // Each bin holds a block; below two for each, binning would drain all the time.
      pool_(Mapping::reserve(
          {.bytes = round_up(std::max(bytes, 2 * bins * BinBlock::kBytes), huge_page_size()),
           .alignment = huge_page_size(),
           .purpose = "binned updates",
           .knob = "--bin-size"})),
      pool_next_(pool_.data()),
      pool_end_(pool_.data() + pool_.size()) {
  advise_huge(pool_.data(), pool_.size());
}

BinBlock* BinStore::new_block(std::size_t bin) {
  if (free_ == nullptr) collect();
  BinBlock* block;
  if (free_ != nullptr) {
    block = free_;
    free_ = block->next;
    --free_blocks_;
  } else if (pool_next_ != pool_end_) {
    block = reinterpret_cast<BinBlock*>(pool_next_);
    pool_next_ += BinBlock::kBytes;
  } else {
    extra_.push_back(std::make_unique<std::byte[]>(BinBlock::kBytes + kLineBytes));
    block = reinterpret_cast<BinBlock*>(
        round_up(reinterpret_cast<std::size_t>(extra_.back().get()), kLineBytes));
  }
  ::new (block) BinBlock{};
  block->next = open_[bin];
  open_[bin] = block;
  ++blocks_out_;
  // Warn early: every bin may need one more block before the next look.
  exhausted_ = free_blocks_ + static_cast<std::size_t>(pool_end_ - pool_next_) / BinBlock::kBytes <
               counts_.size() / 8;
  return block;
}

void BinStore::spill(std::size_t bin) {
  BinBlock* block = open_[bin];
  if (block == nullptr || block->full_lines == BinBlock::kLines) block = new_block(bin);
  stream_line(block->lines() + block->full_lines * kLineBytes, lines_.data() + bin * kLineBytes);
  ++block->full_lines;
  counts_[bin] = 0;
}

BinBlock* BinStore::take(std::size_t bin) {
  if (counts_[bin] != 0) {
    BinBlock* block = open_[bin];
    if (block == nullptr || block->full_lines == BinBlock::kLines) block = new_block(bin);
    std::memcpy(block->lines() + block->full_lines * kLineBytes, lines_.data() + bin * kLineBytes,
                kLineBytes);
    block->last_entries = counts_[bin];
    counts_[bin] = 0;
  }
  BinBlock* chain = open_[bin];
  open_[bin] = nullptr;
  return chain;
}

void BinStore::give_back(BinBlock* chain) {
  if (chain == nullptr) return;
  BinBlock* last = chain;
  while (last->next != nullptr) last = last->next;
  BinBlock* head = returned_.load(std::memory_order_relaxed);
  do {
    last->next = head;
  } while (!returned_.compare_exchange_weak(head, chain, std::memory_order_release,
                                            std::memory_order_relaxed));
}

void BinStore::collect() {
  if (returned_.load(std::memory_order_relaxed) == nullptr) return;
  for (BinBlock* block = returned_.exchange(nullptr, std::memory_order_acquire);
       block != nullptr;) {
    BinBlock* next = block->next;
    block->next = free_;
    free_ = block;
    ++free_blocks_;
    --blocks_out_;
    block = next;
  }
}

void BinStore::fence() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

}  // namespace grappa::internal
