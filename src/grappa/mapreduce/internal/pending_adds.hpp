#pragma once

// Additions to a KeyTable, held back for a moment while what they touch is fetched.
//
//   PendingAdds<std::string, std::int64_t> pending;
//   const auto add = [](std::int64_t& sum, std::int64_t n) noexcept { sum += n; };
//   KeyTable<std::string, std::int64_t> counts;
//   pending.add(counts, "word", hash_key(std::string_view("word")), 1, add);
//   pending.flush(counts, add);
//
// In a table that is larger than the cache a slot is a miss, and so is the text of its key. Of what
// is to be added the slot is prefetched at once, the text of the key in it some additions later,
// and then it is added. Texts are copied, so that they need not live so long; long ones are added
// at once. For one core; nothing suspends.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "grappa/mapreduce/internal/key_table.hpp"

namespace grappa::mapreduce::detail {

/// Whether values may wait: what their combiner throws would be taken for another record's fault.
template <class V, class Combine>
inline constexpr bool kMayWait =
    std::is_trivially_copyable_v<V> && std::is_default_constructible_v<V> &&
    std::is_nothrow_invocable_v<Combine&, V&, V&&>;

template <class K, class V>
class PendingAdds {
 public:
  template <class Combine>
  void add(KeyTable<K, V>& table, const KeyView<K>& key, std::uint64_t hash, const V& value,
           Combine& combine) {
    Pending& mine = ring_[next_ % kCount];
    if (next_ >= kCount) apply(table, mine, combine);
    if constexpr (kIsText<K>) {
      if (key.size() > kLongest) {
        mine.hash = 0;
        table.add(key, hash, value, combine);
      } else {
        mine.hash = hash | 1;
        mine.size = key.size();
        std::memcpy(mine.key.data(), key.data(), key.size());
      }
    } else {
      mine.hash = hash | 1;
      mine.key = key;
    }
    mine.value = value;
    table.prefetch(hash);
    if constexpr (kIsText<K>) table.prefetch_text(ring_[(next_ + kCount / 2) % kCount].hash);
    ++next_;
  }

  template <class Combine>
  void flush(KeyTable<K, V>& table, Combine& combine) {
    for (std::size_t i = next_ < kCount ? 0 : next_ - kCount; i < next_; ++i)
      apply(table, ring_[i % kCount], combine);
    next_ = 0;
  }

 private:
  static constexpr std::size_t kCount = 16;
  static constexpr std::size_t kLongest = 32;
  struct Pending {
    std::uint64_t hash = 0;  // with the lowest bit set, which the table does not use; 0: none
    std::size_t size = 0;    // of a text
    std::conditional_t<kIsText<K>, std::array<char, kLongest>, K> key{};
    V value{};
  };

  template <class Combine>
  static void apply(KeyTable<K, V>& table, const Pending& pending, Combine& combine) {
    if (pending.hash == 0) return;
    if constexpr (kIsText<K>) {
      table.add({pending.key.data(), pending.size}, pending.hash, pending.value, combine);
    } else {
      table.add(pending.key, pending.hash, pending.value, combine);
    }
  }

  std::array<Pending, kCount> ring_;
  std::size_t next_ = 0;
};

}  // namespace grappa::mapreduce::detail
