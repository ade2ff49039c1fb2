#pragma once

// Finds what is in a list by its key: what a batch of requests with keys keeps.
//
//   internal::KeyIndex<std::int64_t, double> sums;
//   *sums.find_or_add(key, hash) += 0.5;              // a new one is 0
//   for (const auto& [its_key, sum, its_hash] : sums.items()) use(its_key, sum);
//   sums.clear();                                     // costs as much as there are items
//
// Linear probing over places in the list, at most half full.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "grappa/container/key_traits.hpp"

namespace grappa::internal {

template <class K, class Item>
class KeyIndex {
 public:
  using Argument = typename KeyTraits<K>::Argument;
  struct KeyedItem {
    K key;
    Item item;
    std::uint64_t hash;
  };

  /// The item of the key; nullptr when it is new and there are `most` already.
  Item* find_or_add(Argument key, std::uint64_t hash, std::size_t most = SIZE_MAX) {
    if (2 * items_.size() >= slots_.size()) grow();
    std::uint32_t& place =
        slots_[slot_of(hash, [&](std::uint32_t there) { return items_[there].key == key; })];
    if (place == 0) {
      if (items_.size() >= most) return nullptr;
      items_.push_back({K(key), Item{}, hash});
      place = static_cast<std::uint32_t>(items_.size());
    }
    return &items_[place - 1].item;
  }

  std::size_t size() const { return items_.size(); }
  std::span<KeyedItem> items() { return items_; }
  void clear() {
    constexpr std::size_t kSlotsInLine = 64 / sizeof(std::uint32_t);
    if (items_.size() * kSlotsInLine > slots_.size()) {  // there is one in most lines
      std::fill(slots_.begin(), slots_.end(), 0);
    } else {
      // From the last one on: then those that were there when it came are still there.
      for (std::size_t k = items_.size(); k > 0; --k)
        slots_[slot_of(items_[k - 1].hash, [&](std::uint32_t there) { return there == k - 1; })] =
            0;
    }
    items_.clear();
  }

 private:
  /// The slot of the item for which is_it(place in items_) is true, or the free one for it.
  template <class IsIt>
  std::size_t slot_of(std::uint64_t hash, const IsIt& is_it) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = hash & mask;
    while (slots_[slot] != 0 && !is_it(slots_[slot] - 1)) slot = (slot + 1) & mask;
    return slot;
  }
  void grow() {
    slots_.assign(slots_.empty() ? 64 : 2 * slots_.size(), 0);
    for (std::size_t k = 0; k < items_.size(); ++k) {
      slots_[slot_of(items_[k].hash, [](std::uint32_t) { return false; })] =
          static_cast<std::uint32_t>(k + 1);
    }
  }

  std::vector<KeyedItem> items_;
  std::vector<std::uint32_t> slots_;  // one more than the place in items_; 0: free
};

}  // namespace grappa::internal
