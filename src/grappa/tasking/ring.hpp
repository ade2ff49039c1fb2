#pragma once

// Ring<Entry>: a first-in-first-out queue in an array that doubles when it is full. From an array
// the processor runs ahead over several entries, and what lies a few places behind the head can be
// prefetched. Used by one core only.
//
// A position is an address within the array. The array begins at a multiple of twice its size, so
// that the position behind the last one has one bit more than all others, and going on from it
// means clearing that bit. This and an entry size that is a power of two save the schedulers some
// of their few instructions. One entry stays free, or a full ring would look empty; it is the one
// that was taken last, which stays readable.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace grappa::internal {

template <class Entry>
class Ring {
  static_assert(std::has_single_bit(sizeof(Entry)));
  static_assert(std::is_trivially_copyable_v<Entry>);

 public:
  Ring() : Ring(64) {}
  Ring(Ring&&) = delete;
  Ring& operator=(Ring&&) = delete;

  bool empty() const { return after(last_) == tail_; }
  std::size_t size() const { return ((tail_ - after(last_)) & (bytes() - 1)) / sizeof(Entry); }

  /// How many entries there is room for.
  std::size_t room() const { return bytes() / sizeof(Entry) - 1; }

  /// Makes room for `count` entries in all. Never inlined: it would make every function that
  /// appends save more registers.
  [[gnu::noinline, gnu::cold]] void reserve(std::size_t count) {
    std::size_t capacity = bytes() / sizeof(Entry);
    if (count < capacity) return;
    while (capacity <= count) capacity *= 2;
    Ring bigger(capacity);
    bigger.last() = last();
    for (std::uintptr_t from = after(last_); from != tail_; from = after(from))
      bigger.append_reserved() = at(from);
    std::swap(memory_, bigger.memory_);
    wrap_ = bigger.wrap_;
    last_ = bigger.last_;
    tail_ = bigger.tail_;
  }

  /// Appends an entry for the caller to fill in.
  Entry& append() {
    if (tail_ == last_) [[unlikely]]
      reserve(bytes() / sizeof(Entry));
    return append_reserved();
  }
  void push(const Entry& entry) { append() = entry; }

  /// Appends where `reserve` has made room.
  Entry& append_reserved() { return at(std::exchange(tail_, after(tail_))); }

  /// Takes the head. Not when empty.
  const Entry& pop() {
    last_ = after(last_);
    return at(last_);
  }

  /// The entry that was taken last; an empty one at first. Stays until the next one is taken.
  Entry& last() { return at(last_); }
  const Entry& last() const { return at(last_); }

  /// The entry `bytes` behind the head, a multiple of an entry's size; an old one where there are
  /// not as many.
  const Entry& ahead(std::uint64_t bytes) const { return at((after(last_) + bytes) & wrap_); }

  /// Where `last` will be when `count` more have been taken, fewer than there is room for; valid
  /// until the ring grows.
  std::uintptr_t mark(std::size_t count) const { return (last_ + count * sizeof(Entry)) & wrap_; }
  bool is_at(std::uintptr_t mark) const { return last_ == mark; }

  /// Swaps the head with a random entry (debug builds shuffle the order of what is ready).
  void shuffle_head(std::uint64_t random) {
    const std::size_t count = size();
    if (count > 1) std::swap(at(after(last_)), at(mark(1 + random % count)));
  }

 private:
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  using Memory = std::unique_ptr<void, Free>;

  explicit Ring(std::size_t capacity) {
    const std::size_t size = capacity * sizeof(Entry);
    void* memory = nullptr;
    // What is skipped for the alignment takes addresses, but no memory.
    if (posix_memalign(&memory, 2 * size, size) != 0) throw std::bad_alloc();
    memory_.reset(memory);
    std::uninitialized_value_construct_n(static_cast<Entry*>(memory), capacity);
    wrap_ = ~std::uintptr_t{size};
    last_ = reinterpret_cast<std::uintptr_t>(memory);
    tail_ = after(last_);
  }

  std::size_t bytes() const { return ~wrap_; }
  std::uintptr_t after(std::uintptr_t position) const { return (position + sizeof(Entry)) & wrap_; }

  Entry& at(std::uintptr_t position) { return *reinterpret_cast<Entry*>(position); }
  const Entry& at(std::uintptr_t position) const {
    return *reinterpret_cast<const Entry*>(position);
  }

  std::uintptr_t wrap_;  // all bits but the one that the position behind the array has more
  std::uintptr_t last_;  // before the head
  std::uintptr_t tail_;  // where the next one goes
  Memory memory_;
};

}  // namespace grappa::internal
