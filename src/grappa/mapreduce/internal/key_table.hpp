#pragma once

// KeyTable<K, V>: the values of the keys that a core has met, combined.
//
//   KeyTable<std::string, std::int64_t> counts;
//   const auto add = [](std::int64_t& sum, std::int64_t n) { sum += n; };
//   counts.add("word", hash_key(std::string_view("word")), 1, add);
//   counts.for_each([](const auto& entry) { use(entry.key(), entry.value()); });
//
// Open addressing with linear probing, at most half full. A slot has all of its key's hash: growing
// and the way to the owner never look at keys again, and of unequal keys next to none are compared.
// That, and values of any type, is what it has over HashTable, whose slots are smaller. Strings lie
// in an arena of the table. For one core; nothing suspends.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "grappa/base/huge_pages.hpp"
#include "grappa/container/hash_table.hpp"
#include "grappa/container/key_traits.hpp"
#include "grappa/mapreduce/internal/byte_arena.hpp"

namespace grappa::mapreduce::detail {

/// Strings are kept in the table's arena, and travel as their bytes.
template <class K>
inline constexpr bool kIsText = std::is_same_v<K, std::string>;

/// How a key is given, and lies in a slot.
template <class K>
using KeyView = std::conditional_t<kIsText<K>, std::string_view, K>;

/// All 64 bits are used: the high ones choose the owner, the low ones the slot.
template <class View>
std::uint64_t hash_key(const View& key) {
  return KeyHash<View>{}(key);
}

/// As ==, inlined for short texts.
inline bool same_key(std::string_view a, std::string_view b) {
  const std::size_t size = a.size();
  if (size != b.size()) return false;
  if (size > 16) return std::memcmp(a.data(), b.data(), size) == 0;
  const auto differ = [&]<class Word>(Word, std::size_t at) {
    Word x;
    Word y;
    std::memcpy(&x, a.data() + at, sizeof x);
    std::memcpy(&y, b.data() + at, sizeof y);
    return std::uint64_t{x ^ y};
  };
  // The end is compared together with some of the bytes before it.
  if (size >= 8) return (differ(std::uint64_t{}, 0) | differ(std::uint64_t{}, size - 8)) == 0;
  if (size >= 4) return (differ(std::uint32_t{}, 0) | differ(std::uint32_t{}, size - 4)) == 0;
  for (std::size_t i = 0; i < size; ++i) {
    if (a[i] != b[i]) return false;
  }
  return true;
}
template <class K>
bool same_key(const K& a, const K& b) {
  return a == b;
}

template <class K, class V>
class KeyTable {
 public:
  using View = KeyView<K>;

  /// A slot of the table. Where it is not used there are no key and value.
  class Entry {
   public:
    bool is_used() const { return mark_ != 0; }
    std::uint64_t hash() const { return mark_; }
    const View& key() const { return *std::launder(reinterpret_cast<const View*>(key_)); }
    V& value() { return *std::launder(reinterpret_cast<V*>(value_)); }
    const V& value() const { return *std::launder(reinterpret_cast<const V*>(value_)); }

   private:
    friend KeyTable;
    std::uint64_t mark_;  // the hash, of which the lowest bit is set; 0: free
    alignas(View) std::byte key_[sizeof(View)];
    alignas(V) std::byte value_[sizeof(V)];
  };

  KeyTable() = default;
  KeyTable(KeyTable&& other) noexcept { swap(other); }
  KeyTable& operator=(KeyTable&& other) noexcept {
    KeyTable old(std::move(other));
    swap(old);
    return *this;
  }
  ~KeyTable() { destroy_entries(); }

  std::size_t size() const { return size_; }

  /// Of a key that is new the value is `value`; else combine(V& there, value) is called.
  template <class Value, class Combine>
  void add(const View& key, std::uint64_t hash, Value&& value, Combine& combine) {
    if (size_ >= capacity_ / 2) [[unlikely]]
      grow(capacity_ == 0 ? kLeastSlots : 2 * capacity_);
    const std::uint64_t mark = hash | 1;
    for (std::size_t i = home_of(mark);; i = (i + 1) & (capacity_ - 1)) {
      Entry& entry = slots()[i];
      if (entry.mark_ == mark && same_key(entry.key(), key)) {
        combine(entry.value(), std::forward<Value>(value));
        return;
      }
      if (entry.mark_ != 0) continue;
      if constexpr (kIsText<K>) {
        ::new (static_cast<void*>(entry.key_)) View(arena_.keep(key));
      } else {
        ::new (static_cast<void*>(entry.key_)) View(key);
      }
      ::new (static_cast<void*>(entry.value_)) V(std::forward<Value>(value));
      entry.mark_ = mark;
      ++size_;
      return;
    }
  }

  /// The value of a key, or null.
  const V* find(const View& key, std::uint64_t hash) const {
    if (size_ == 0) return nullptr;
    const std::uint64_t mark = hash | 1;
    for (std::size_t i = home_of(mark); slots()[i].mark_ != 0; i = (i + 1) & (capacity_ - 1)) {
      if (slots()[i].mark_ == mark && same_key(slots()[i].key(), key)) return &slots()[i].value();
    }
    return nullptr;
  }

  /// Room for so many keys without growing.
  void reserve(std::size_t keys) {
    std::size_t wanted = kLeastSlots;
    while (wanted / 2 <= keys) wanted *= 2;
    if (wanted > capacity_) grow(wanted);
  }
  [[gnu::always_inline]] void prefetch(std::uint64_t hash) const {
    if (capacity_ != 0) __builtin_prefetch(slots() + home_of(hash | 1), 1);
  }

  /// Prefetches the text of the key that is in the slot of this hash, if it may be that key.
  [[gnu::always_inline]] void prefetch_text(std::uint64_t hash) const {
    if (capacity_ == 0) return;
    const Entry& entry = slots()[home_of(hash | 1)];
    if (entry.mark_ == (hash | 1)) __builtin_prefetch(entry.key().data());
  }

  /// Slots, used or not.
  std::size_t capacity() const { return capacity_; }
  Entry& slot(std::size_t i) { return slots()[i]; }
  /// visit(Entry&) for all that are used, in the order of the slots.
  template <class F>
  void for_each(F&& visit) {
    for (std::size_t i = 0; i < capacity_; ++i) {
      if (slots()[i].is_used()) visit(slots()[i]);
    }
  }

 private:
  static constexpr std::size_t kLeastSlots = 1024;

  Entry* slots() const { return reinterpret_cast<Entry*>(memory_.data()); }
  std::size_t home_of(std::uint64_t mark) const { return (mark >> 1) & (capacity_ - 1); }

  void swap(KeyTable& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(capacity_, other.capacity_);
    std::swap(size_, other.size_);
    std::swap(arena_, other.arena_);
  }

  void grow(std::size_t slot_count) {
    const std::size_t old_capacity = std::exchange(capacity_, slot_count);
    const grappa::internal::Mapping old =
        std::exchange(memory_, grappa::internal::allocate_slots(slot_count * sizeof(Entry)));
    auto* const entries = reinterpret_cast<Entry*>(old.data());
    for (std::size_t k = 0; k < old_capacity; ++k) {
      if (entries[k].is_used()) move_in(entries[k]);
    }
  }

  void move_in(Entry& from) {
    std::size_t i = home_of(from.mark_);
    while (slots()[i].mark_ != 0) i = (i + 1) & (capacity_ - 1);
    Entry& to = slots()[i];
    ::new (static_cast<void*>(to.key_)) View(from.key());
    ::new (static_cast<void*>(to.value_)) V(std::move(from.value()));
    to.mark_ = from.mark_;
    destroy(from);
  }

  static void destroy(Entry& entry) {
    entry.key().~View();
    entry.value().~V();
  }
  void destroy_entries() {
    if constexpr (!std::is_trivially_destructible_v<V> || !std::is_trivially_destructible_v<View>)
      for_each(destroy);
  }

  grappa::internal::Mapping memory_;
  std::size_t capacity_ = 0;  // a power of two
  std::size_t size_ = 0;
  ByteArena arena_;
};

}  // namespace grappa::mapreduce::detail
