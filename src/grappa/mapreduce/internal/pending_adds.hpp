#pragma once

// Additions to a KeyTable, held back for a moment while what they touch is fetched.
//
//   PendingAdds<std::string, std::int64_t> pending;
//   const auto add = [](std::int64_t& sum, std::int64_t n) noexcept { sum += n; };
//   KeyTable<std::string, std::int64_t> counts;
//   pending.add(counts, marked_key<std::string>("word"), 1, add);
//   pending.flush(counts, add);
//
// In a table that is larger than the cache a slot is a miss. Of what is to be added the slot is
// prefetched at once, and it is added some additions later. A long text need not live so long, and
// is added at once. For one core; nothing suspends.

#include <array>
#include <cstddef>
#include <cstdint>
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
  void add(KeyTable<K, V>& table, const MarkedKey<K>& key, const V& value, Combine& combine) {
    if constexpr (kIsText<K>) {
      if (is_long_text(key.mark)) return table.add(key, value, combine);
    }
    Pending& mine = ring_[next_ % kCount];
    if (next_ >= kCount) apply(table, mine, combine);
    mine = {key, value};
    table.prefetch(key.mark);
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
  struct Pending {
    MarkedKey<K> key{};
    V value{};
  };

  template <class Combine>
  static void apply(KeyTable<K, V>& table, const Pending& pending, Combine& combine) {
    table.add(pending.key, pending.value, combine);
  }

  std::array<Pending, kCount> ring_;
  std::size_t next_ = 0;
};

}  // namespace grappa::mapreduce::detail
