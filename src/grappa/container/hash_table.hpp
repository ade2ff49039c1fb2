#pragma once

// HashTable: the part of a GlobalHashMap, or of another container with keys, that lies on one core.
//
// Open addressing with linear probing over one array of slots, at most two thirds full; erasing
// moves later entries back, so that there are no tombstones. The array is a zeroed mapping, on huge
// pages when it is large. A slot whose tag is 0 is free; the tag of a used one has 32 bits of its
// key's hash, so that few keys are compared in vain.
//
// The low bits of the hash choose the slot and growing doubles the array, so that growing reads and
// writes memory in order. For its own core only; nothing suspends.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include "grappa/base/huge_pages.hpp"
#include "grappa/container/key_traits.hpp"

namespace grappa::internal {

/// Zeroed memory for slots. Throws UsageError when this locale does not have that much.
Mapping allocate_slots(std::size_t bytes, const char* container);
[[noreturn]] void throw_changed_in_forall();

struct InHashMap {
  static constexpr const char* kName = "GlobalHashMap";
};

/// One core's part of a GlobalHashMap, or of the container that `Owner` names.
template <class K, class V, class Owner = InHashMap>
class HashTable {
 public:
  using Argument = typename KeyTraits<K>::Argument;

  HashTable() = default;
  ~HashTable() { destroy_entries(); }
  HashTable(const HashTable&) = delete;
  HashTable& operator=(const HashTable&) = delete;

  static std::uint64_t hash_of(Argument key) {
    return KeyHash<std::remove_cvref_t<Argument>>{}(key);
  }

  std::int64_t size() const { return size_; }
  /// Slots, used and free.
  std::int64_t capacity() const { return capacity_; }

  /// Prefetches what find or insert of this hash will touch. Always inlined: GCC takes a function
  /// that only prefetches for one without effects, and removes calls of it.
  [[gnu::always_inline]] void prefetch(std::uint64_t hash) const {
    if (capacity_ == 0) return;
    const Slot* slot = slots() + (hash & mask_);
    __builtin_prefetch(slot, 1);
    if constexpr (sizeof(Slot) > 8 && 64 % sizeof(Slot) != 0) {
      __builtin_prefetch(reinterpret_cast<const std::byte*>(slot + 1) - 1, 1);
    }
  }

  /// The value of the key, or nullptr.
  V* find(Argument key, std::uint64_t hash) {
    if (size_ == 0) return nullptr;
    Slot& slot = slots()[locate(key, hash)];
    return slot.tag == 0 ? nullptr : &slot.value;
  }

  /// The value of the key, and whether it is new: then it was made from `first`.
  std::pair<V&, bool> insert(Argument key, std::uint64_t hash, const V& first) {
    std::uint64_t i = 0;
    if (capacity_ != 0) {
      i = locate(key, hash);
      if (slots()[i].tag != 0) return {slots()[i].value, false};
    }
    require_unvisited();
    if (size_ >= most_) {
      resize(std::max<std::int64_t>(kMinSlots, capacity_ * 2));
      i = locate(key, hash);
    }
    Slot& slot = slots()[i];
    ::new (static_cast<void*>(&slot.key)) K(key);
    ::new (static_cast<void*>(&slot.value)) V(first);
    slot.tag = tag_of(hash);
    ++size_;
    return {slot.value, true};
  }

  bool erase(Argument key, std::uint64_t hash) {
    if (size_ == 0) return false;
    const std::uint64_t at = locate(key, hash);
    if (slots()[at].tag == 0) return false;
    require_unvisited();
    fill_hole(at);
    return true;
  }

  /// Erases the entries for which pred(const K&, V&) is true; returns how many.
  template <class Predicate>
  std::int64_t erase_if(Predicate& pred) {
    if (size_ == 0) return 0;
    require_unvisited();
    const std::int64_t before = size_;
    // From behind a free slot on: there, no entry can have been pushed past the end of the array.
    std::uint64_t start = 0;
    while (slots()[start].tag != 0) ++start;
    for (std::int64_t k = 1; k < capacity_; ++k) {
      Slot& slot = slots()[(start + static_cast<std::uint64_t>(k)) & mask_];
      // Erasing may move a later entry here.
      while (slot.tag != 0 && pred(static_cast<const K&>(slot.key), slot.value)) {
        fill_hole(static_cast<std::uint64_t>(&slot - slots()));
      }
    }
    return before - size_;
  }

  void clear() {
    require_unvisited();
    destroy_entries();
    memory_ = Mapping();
    capacity_ = most_ = size_ = 0;
    mask_ = 0;
  }

  /// Makes room for `entries` in all.
  void reserve(std::int64_t entries) {
    const auto wanted = static_cast<std::int64_t>(
        std::bit_ceil(static_cast<std::uint64_t>(std::max(kMinSlots, entries + entries / 2 + 1))));
    if (wanted > capacity_) resize(wanted);
  }

  /// visit(const K&, V&) for the entries in slots [first, last).
  template <class F>
  void for_each(std::int64_t first, std::int64_t last, F& visit) {
    for (Slot* slot = slots() + first; slot != slots() + last; ++slot) {
      if (slot->tag != 0) visit(static_cast<const K&>(slot->key), slot->value);
    }
  }

  /// Throws UsageError while somebody goes through the table.
  void require_unvisited() const {
    if (visits_ != 0) throw_changed_in_forall();
  }

  /// While one lives, entries may not be added, erased or moved: UsageError.
  struct Visit {
    explicit Visit(HashTable& its_table) : table(its_table) { ++table.visits_; }
    ~Visit() { --table.visits_; }
    Visit(const Visit&) = delete;
    Visit& operator=(const Visit&) = delete;
    HashTable& table;
  };

 private:
  static constexpr std::int64_t kMinSlots = 64;

  struct Slot {
    K key;
    V value;
    std::uint32_t tag;  // 0: free, and neither key nor value exists
  };

  static std::uint32_t tag_of(std::uint64_t hash) {
    return static_cast<std::uint32_t>(hash >> 24) | 1;
  }

  Slot* slots() const { return reinterpret_cast<Slot*>(memory_.data()); }

  /// The slot of the key, or the free one in which it belongs.
  std::uint64_t locate(Argument key, std::uint64_t hash) const {
    const std::uint32_t tag = tag_of(hash);
    const Slot* const all = slots();
    std::uint64_t i = hash & mask_;
    while (all[i].tag != 0 && !(all[i].tag == tag && all[i].key == key)) i = (i + 1) & mask_;
    return i;
  }

  static void destroy(Slot& slot) {
    slot.key.~K();
    slot.value.~V();
    slot.tag = 0;
  }

  /// Destroys an entry. One that was pushed past the hole on its way from its home slot moves back
  /// into it.
  void fill_hole(std::uint64_t hole) {
    Slot* const all = slots();
    destroy(all[hole]);
    --size_;
    for (std::uint64_t i = (hole + 1) & mask_; all[i].tag != 0; i = (i + 1) & mask_) {
      const std::uint64_t home = hash_of(all[i].key) & mask_;
      if (((i - home) & mask_) >= ((i - hole) & mask_)) {
        move(all[i], all[hole]);
        hole = i;
      }
    }
  }

  static void move(Slot& from, Slot& to) {
    ::new (static_cast<void*>(&to.key)) K(std::move(from.key));
    ::new (static_cast<void*>(&to.value)) V(std::move(from.value));
    to.tag = from.tag;
    destroy(from);
  }

  void resize(std::int64_t slot_count) {
    Mapping old_memory = std::exchange(
        memory_, allocate_slots(static_cast<std::size_t>(slot_count) * sizeof(Slot), Owner::kName));
    Slot* const old = reinterpret_cast<Slot*>(old_memory.data());
    const std::int64_t old_capacity = std::exchange(capacity_, slot_count);
    mask_ = static_cast<std::uint64_t>(slot_count) - 1;
    most_ = slot_count / 3 * 2;
    for (std::int64_t k = 0; k < old_capacity; ++k) {
      if (old[k].tag == 0) continue;
      std::uint64_t i = hash_of(old[k].key) & mask_;
      while (slots()[i].tag != 0) i = (i + 1) & mask_;
      move(old[k], slots()[i]);
    }
  }

  void destroy_entries() {
    if constexpr (!std::is_trivially_destructible_v<K> || !std::is_trivially_destructible_v<V>) {
      for (std::int64_t k = 0; k < capacity_; ++k) {
        if (slots()[k].tag != 0) destroy(slots()[k]);
      }
    }
  }

  Mapping memory_;
  std::uint64_t mask_ = 0;
  std::int64_t capacity_ = 0;
  std::int64_t most_ = 0;  // entries before it grows
  std::int64_t size_ = 0;
  std::int64_t visits_ = 0;
};

}  // namespace grappa::internal
