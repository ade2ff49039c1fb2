// Ring<Entry>: a first-in-first-out queue in an array that doubles when it is full. From an array
// the processor runs ahead over several entries, and what lies a few places behind the head can be
// prefetched. Used by one core only.
//
// Positions are bytes within the array and not numbers of entries, which saves the schedulers some
// of their few instructions; so the size of an entry is a power of two. One entry stays free, or a
// full ring would look empty.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace grappa {

template <class Entry>
class Ring {
  static_assert(std::has_single_bit(sizeof(Entry)));

 public:
  Ring() : entries_(64), mask_(64 * sizeof(Entry) - 1) {}

  bool empty() const { return head_ == tail_; }
  std::size_t size() const { return ((tail_ - head_) & mask_) / sizeof(Entry); }

  /// Makes room for `count` entries in all.
  void reserve(std::size_t count) {
    if (count < entries_.size()) return;
    std::size_t capacity = entries_.size();
    while (capacity <= count) capacity *= 2;
    std::vector<Entry> bigger(capacity);
    const std::size_t held = size();
    for (std::size_t i = 0; i < held; ++i) bigger[i] = ahead(i * sizeof(Entry));
    entries_.swap(bigger);
    mask_ = capacity * sizeof(Entry) - 1;
    head_ = 0;
    tail_ = held * sizeof(Entry);
  }

  /// Appends an entry for the caller to fill in.
  Entry& append() {
    if (after(tail_) == head_) [[unlikely]]
      reserve(entries_.size());
    return append_reserved();
  }
  void push(const Entry& entry) { append() = entry; }

  /// Appends where `reserve` has made room.
  Entry& append_reserved() { return at(std::exchange(tail_, after(tail_))); }

  /// Takes the head, which stays readable until the next entry is appended. Not when empty.
  const Entry& pop() { return at(std::exchange(head_, after(head_))); }

  /// The entry `bytes` behind the head, a multiple of an entry's size; an old one where there are
  /// not as many.
  const Entry& ahead(std::uint64_t bytes) { return at((head_ + bytes) & mask_); }

  /// Swaps the head with a random entry (debug builds shuffle the order of what is ready).
  void shuffle_head(std::uint64_t random) {
    const std::size_t count = size();
    if (count > 1) std::swap(at(head_), at((head_ + random % count * sizeof(Entry)) & mask_));
  }

 private:
  std::uint64_t after(std::uint64_t position) const { return (position + sizeof(Entry)) & mask_; }

  Entry& at(std::uint64_t position) {
    return *reinterpret_cast<Entry*>(reinterpret_cast<std::byte*>(entries_.data()) + position);
  }

  std::vector<Entry> entries_;
  std::uint64_t mask_;
  std::uint64_t head_ = 0;
  std::uint64_t tail_ = 0;
};

}  // namespace grappa
