#pragma once

// KeyTable<K, V>: the values of the keys that a core has met, combined.
//
//   KeyTable<std::string, std::int64_t> counts;
//   const auto add = [](std::int64_t& sum, std::int64_t n) { sum += n; };
//   counts.add(marked_key<std::string>("word"), 1, add);
//   counts.for_each([](const auto& entry) { use(entry.key(), entry.value()); });
//
// Open addressing with linear probing, at most half full. A slot has its key's hash: growing and
// the way to the owner never look at keys again, and of unequal keys next to none are compared.
// That, and values of any type, is what it has over HashTable, whose slots are smaller. Short texts
// lie in their slots, longer ones in an arena of the table. For one core; nothing suspends.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#if defined(__AVX512BW__) && defined(__AVX512VL__)
#include <immintrin.h>
#endif

#include "grappa/base/huge_pages.hpp"
#include "grappa/container/hash_table.hpp"
#include "grappa/container/key_traits.hpp"
#include "grappa/mapreduce/internal/byte_arena.hpp"

namespace grappa::mapreduce::detail {

/// Strings are kept by the table, and travel as their bytes.
template <class K>
inline constexpr bool kIsText = std::is_same_v<K, std::string>;

/// How a key is given.
template <class K>
using KeyView = std::conditional_t<kIsText<K>, std::string_view, K>;
/// How a table shows it.
template <class K>
using KeyReference = std::conditional_t<kIsText<K>, std::string_view, const K&>;

/// A text in a slot: up to kShort bytes, and zeros behind them; or where it is, and its length.
struct TextCell {
  static constexpr std::size_t kShort = 16;
  std::array<std::uint64_t, 2> words;
};

/// How it lies in a slot.
template <class K>
using KeyCell = std::conditional_t<kIsText<K>, TextCell, K>;

/// A key with its hash. Of the mark the high bits are the hash's: the highest ones choose the
/// owner, those above kMarkBits the slot. The lowest kMarkBits are not 0; of a text they are its
/// length + 1, or kLongText.
template <class K>
struct MarkedKey {
  std::uint64_t mark;
  KeyCell<K> cell;
};
inline constexpr int kMarkBits = 5;
inline constexpr std::uint64_t kLongText = (1u << kMarkBits) - 1;

inline bool is_long_text(std::uint64_t mark) { return (mark & kLongText) == kLongText; }

inline std::string_view text_in(std::uint64_t mark, const TextCell& cell) {
  if (is_long_text(mark))
    return {reinterpret_cast<const char*>(cell.words[0]), static_cast<std::size_t>(cell.words[1])};
  return {reinterpret_cast<const char*>(cell.words.data()),
          static_cast<std::size_t>((mark & kLongText) - 1)};
}

/// The bytes of a text that is short, and zeros.
inline TextCell short_text(std::string_view text) {
  static_assert(std::endian::native == std::endian::little);
  TextCell cell{};
#if defined(__AVX512BW__) && defined(__AVX512VL__)
  const auto bytes = static_cast<__mmask16>((1u << text.size()) - 1);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(cell.words.data()),
                   _mm_maskz_loadu_epi8(bytes, text.data()));
#else
  const std::size_t size = text.size();
  const auto load = [&]<class Word>(Word word, std::size_t at) {
    std::memcpy(&word, text.data() + at, sizeof word);
    return std::uint64_t{word};
  };
  // The end is read together with some of the bytes before it: no loop over single bytes.
  if (size >= 8) {
    cell.words = {load(std::uint64_t{}, 0),
                  size == 8 ? 0 : load(std::uint64_t{}, size - 8) >> (8 * (16 - size))};
  } else if (size >= 4) {
    cell.words[0] = load(std::uint32_t{}, 0) | load(std::uint32_t{}, size - 4) << (8 * (size - 4));
  } else if (size > 0) {
    cell.words[0] = load(std::uint8_t{}, 0) | load(std::uint8_t{}, size / 2) << (8 * (size / 2)) |
                    load(std::uint8_t{}, size - 1) << (8 * (size - 1));
  }
#endif
  return cell;
}

inline std::uint64_t hash_short_text(const TextCell& cell, std::size_t size) {
  __extension__ using Wide = unsigned __int128;
  const auto mixed = [](std::uint64_t a, std::uint64_t b) {
    const Wide product = Wide{a} * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  };
  return mixed(mixed(cell.words[0] ^ 0xA0761D6478BD642Fu, cell.words[1] ^ 0xE7037ED1A0B428DBu),
               0x8EBC6AF09C88C6E3u ^ size);
}

/// A key with a hash that is known.
template <class K>
MarkedKey<K> marked_key(const KeyView<K>& key, std::uint64_t hash) {
  if constexpr (!kIsText<K>) {
    return {hash | 1, key};
  } else {
    hash &= ~kLongText;
    if (key.size() <= TextCell::kShort) return {hash | (key.size() + 1), short_text(key)};
    return {hash | kLongText, {{reinterpret_cast<std::uintptr_t>(key.data()), key.size()}}};
  }
}
/// A long text stays where it is.
template <class K>
[[gnu::always_inline]] inline MarkedKey<K> marked_key(const KeyView<K>& key) {
  if constexpr (kIsText<K>) {
    if (key.size() <= TextCell::kShort) [[likely]] {
      const TextCell cell = short_text(key);
      return {(hash_short_text(cell, key.size()) & ~kLongText) | (key.size() + 1), cell};
    }
  }
  return marked_key<K>(key, KeyHash<KeyView<K>>{}(key));
}

/// Of keys whose marks are the same.
inline bool same_cell(std::uint64_t mark, const TextCell& a, const TextCell& b) {
  if (((a.words[0] ^ b.words[0]) | (a.words[1] ^ b.words[1])) == 0) return true;
  return is_long_text(mark) && text_in(mark, a) == text_in(mark, b);
}
template <class K>
bool same_cell(std::uint64_t, const K& a, const K& b) {
  return a == b;
}

template <class K, class V>
class KeyTable {
 public:
  using Cell = KeyCell<K>;

  /// A slot of the table. Where it is not used there are no key and value.
  class Entry {
   public:
    bool is_used() const { return mark_ != 0; }
    KeyReference<K> key() const {
      if constexpr (kIsText<K>) {
        return text_in(mark_, cell());
      } else {
        return cell();
      }
    }
    MarkedKey<K> marked() const { return {mark_, cell()}; }
    V& value() { return *std::launder(reinterpret_cast<V*>(value_)); }
    const V& value() const { return *std::launder(reinterpret_cast<const V*>(value_)); }

   private:
    friend KeyTable;
    const Cell& cell() const { return *std::launder(reinterpret_cast<const Cell*>(cell_)); }

    std::uint64_t mark_;  // 0: free
    alignas(Cell) std::byte cell_[sizeof(Cell)];
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
  void add(const MarkedKey<K>& key, Value&& value, Combine& combine) {
    if (size_ >= capacity_ / 2) [[unlikely]]
      grow(capacity_ == 0 ? kLeastSlots : 2 * capacity_);
    for (std::size_t i = home_of(key.mark);; i = (i + 1) & (capacity_ - 1)) {
      Entry& entry = slots()[i];
      if (entry.mark_ == key.mark && same_cell(key.mark, entry.cell(), key.cell)) {
        combine(entry.value(), std::forward<Value>(value));
        return;
      }
      if (entry.mark_ != 0) continue;
      ::new (static_cast<void*>(entry.cell_)) Cell(kept(key));
      ::new (static_cast<void*>(entry.value_)) V(std::forward<Value>(value));
      entry.mark_ = key.mark;
      ++size_;
      return;
    }
  }

  /// The value of a key, or null.
  const V* find(const MarkedKey<K>& key) const {
    if (size_ == 0) return nullptr;
    for (std::size_t i = home_of(key.mark); slots()[i].mark_ != 0; i = (i + 1) & (capacity_ - 1)) {
      const Entry& entry = slots()[i];
      if (entry.mark_ == key.mark && same_cell(key.mark, entry.cell(), key.cell))
        return &entry.value();
    }
    return nullptr;
  }

  /// Room for so many keys without growing.
  void reserve(std::size_t keys) {
    std::size_t wanted = kLeastSlots;
    while (wanted / 2 <= keys) wanted *= 2;
    if (wanted > capacity_) grow(wanted);
  }
  [[gnu::always_inline]] void prefetch(std::uint64_t mark) const {
    if (capacity_ != 0) __builtin_prefetch(slots() + home_of(mark), 1);
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
  std::size_t home_of(std::uint64_t mark) const { return (mark >> kMarkBits) & (capacity_ - 1); }

  /// The cell of a key that is new: a long text comes into the arena.
  Cell kept(const MarkedKey<K>& key) {
    if constexpr (kIsText<K>) {
      if (is_long_text(key.mark)) {
        const std::string_view text = arena_.keep(text_in(key.mark, key.cell));
        return {{reinterpret_cast<std::uintptr_t>(text.data()), text.size()}};
      }
    }
    return key.cell;
  }

  void swap(KeyTable& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(capacity_, other.capacity_);
    std::swap(size_, other.size_);
    std::swap(arena_, other.arena_);
  }

  void grow(std::size_t slot_count) {
    const grappa::internal::Mapping old = std::exchange(
        memory_,
        grappa::internal::allocate_slots(slot_count * sizeof(Entry), "the keys of a Dataset"));
    const std::size_t old_capacity = std::exchange(capacity_, slot_count);
    auto* const entries = reinterpret_cast<Entry*>(old.data());
    for (std::size_t k = 0; k < old_capacity; ++k) {
      if (entries[k].is_used()) move_in(entries[k]);
    }
  }

  void move_in(Entry& from) {
    std::size_t i = home_of(from.mark_);
    while (slots()[i].mark_ != 0) i = (i + 1) & (capacity_ - 1);
    Entry& to = slots()[i];
    ::new (static_cast<void*>(to.cell_)) Cell(from.cell());
    ::new (static_cast<void*>(to.value_)) V(std::move(from.value()));
    to.mark_ = from.mark_;
    destroy(from);
  }

  static void destroy(Entry& entry) {
    entry.cell().~Cell();
    entry.value().~V();
  }
  void destroy_entries() {
    if constexpr (!std::is_trivially_destructible_v<V> || !std::is_trivially_destructible_v<Cell>)
      for_each(destroy);
  }

  grappa::internal::Mapping memory_;
  std::size_t capacity_ = 0;  // a power of two
  std::size_t size_ = 0;
  ByteArena arena_;
};

}  // namespace grappa::mapreduce::detail
