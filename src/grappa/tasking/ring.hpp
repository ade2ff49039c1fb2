// Ring<Entry>: a first-in-first-out queue in an array that doubles when it is full. From an array
// the processor runs ahead over several entries, and what lies a few places behind the head can be
// prefetched. Used by one core only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace grappa {

template <class Entry>
class Ring {
 public:
  Ring() : entries_(64), mask_(63) {}

  bool empty() const { return head_ == tail_; }
  std::size_t size() const { return static_cast<std::size_t>(tail_ - head_); }

  /// Makes room for `count` entries in all.
  void reserve(std::size_t count) {
    if (count <= entries_.size()) return;
    std::size_t capacity = entries_.size();
    while (capacity < count) capacity *= 2;
    std::vector<Entry> bigger(capacity);
    const std::size_t held = size();
    for (std::size_t i = 0; i < held; ++i) bigger[i] = entries_[(head_ + i) & mask_];
    entries_.swap(bigger);
    mask_ = capacity - 1;
    head_ = 0;
    tail_ = held;
  }

  /// Appends an entry for the caller to fill in.
  Entry& append() {
    if (size() == entries_.size()) reserve(2 * entries_.size());
    return append_reserved();
  }
  void push(const Entry& entry) { append() = entry; }

  /// Appends where `reserve` has made room.
  Entry& append_reserved() { return entries_[tail_++ & mask_]; }

  /// Takes the head, which stays readable until the next entry is appended. Not when empty.
  const Entry& pop() { return entries_[head_++ & mask_]; }

  /// The entry `distance` places behind the head, or nullptr when there are not as many.
  const Entry* ahead(std::uint64_t distance) const {
    return tail_ - head_ > distance ? &entries_[(head_ + distance) & mask_] : nullptr;
  }

  /// Swaps the head with a random entry (debug builds shuffle the order of what is ready).
  void shuffle_head(std::uint64_t random) {
    const std::size_t count = size();
    if (count > 1) std::swap(entries_[head_ & mask_], entries_[(head_ + random % count) & mask_]);
  }

 private:
  std::vector<Entry> entries_;
  std::uint64_t mask_;
  std::uint64_t head_ = 0;
  std::uint64_t tail_ = 0;
};

}  // namespace grappa
