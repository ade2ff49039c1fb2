#pragma once

// reduce_by_key: the mappers of a core combine in a table of their core, whose entries then go to
// the owners of their keys, which combine what they get from all cores (atc15, section 4.3).
//
//   skipped += detail::reduce_keys(words, counts, detail::Combiner{std::plus<>()}, ByHash());
//
// Entries are in an owner's table in an order that depends on the machine; which there are does
// not.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "grappa/mapreduce/internal/core_state.hpp"
#include "grappa/mapreduce/internal/key_table.hpp"
#include "grappa/mapreduce/internal/pending_adds.hpp"
#include "grappa/mapreduce/internal/shuffle.hpp"
#include "grappa/mapreduce/internal/stage.hpp"
#include "grappa/parallel/owned.hpp"

namespace grappa::mapreduce {

/// The partitioner that is used where there is no other: by the high bits of the hash.
struct ByHash {};

namespace detail {

/// An entry of a mapper's table on its way to the owner.
template <class K, class V>
struct KeyedRecord {
  MarkedKey<K> key;  // a long text stays where it is
  V value;
};

template <class K, class V>
struct RecordBytes<KeyedRecord<K, V>> {
  static void put(ByteWriter& out, const KeyedRecord<K, V>& record, int /*locale*/) {
    out.put(record.key.mark);
    if constexpr (kIsText<K>) {
      const std::string_view text = text_in(record.key.mark, record.key.cell);
      out.put(std::uint64_t{text.size()});
      out.put_span(std::span(text));
    } else {
      out.put(record.key.cell);
    }
    out.put(record.value);
  }
  static KeyedRecord<K, V> get(ByteReader& in) {
    const auto mark = in.get<std::uint64_t>();
    if constexpr (kIsText<K>) {
      const auto size = in.get<std::uint64_t>();
      const auto text = in.rest().first(size);
      in = ByteReader(in.rest().subspan(size));
      const std::string_view key(reinterpret_cast<const char*>(text.data()), size);
      return {marked_key<K>(key, mark), in.get<V>()};
    } else {
      K key = in.get<K>();
      return {{mark, std::move(key)}, in.get<V>()};
    }
  }
};

template <class View, class Partition>
int owner_of(const View& key, std::uint64_t hash, Partition& partition) {
  __extension__ using Wide = unsigned __int128;
  const auto cores = static_cast<std::uint64_t>(core_count());
  if constexpr (std::is_same_v<Partition, ByHash>) {
    return static_cast<int>((Wide{hash} * cores) >> 64);
  } else {
    return static_cast<int>(static_cast<std::uint64_t>(partition(key)) % cores);
  }
}

/// The mappers' side.
template <class K, class V, class Combine>
struct TableSink {
  static constexpr bool kWaits = kMayWait<V, Combine> && std::is_default_constructible_v<K>;
  struct Nothing {};

  KeyTable<K, V> table;
  Combine combine;
  std::conditional_t<kWaits, PendingAdds<K, V>, Nothing> pending = {};

  template <class Pair>
  void operator()(Pair&& pair) {
    const MarkedKey<K> key = marked_key<K>(pair.first);
    if constexpr (kWaits) {
      pending.add(table, key, pair.second, combine);
    } else {
      table.add(key, std::forward<Pair>(pair).second, combine);
    }
  }
  void finish() {
    if constexpr (kWaits) pending.flush(table, combine);
  }
};

/// The pairs of the pipeline, combined, in the tables of their owners. Returns how many records
/// were skipped.
template <class Pipeline, class K, class V, class Combine, class Partition>
std::int64_t reduce_keys(const Pipeline& pipeline, const CoreState<KeyTable<K, V>>& owned,
                         Combine combine, Partition partition) {
  using Record = KeyedRecord<K, V>;
  using Sink = TableSink<K, V, Combine>;
  const Owned<Shuffle<Record>> shuffle = Shuffle<Record>::create();
  const Owned<CoreState<KeyTable<K, V>>> mapped = CoreState<KeyTable<K, V>>::create();
  const std::int64_t skipped = run_stage(
      pipeline, [combine] { return Sink{{}, combine}; },
      [partition, shuffle = *shuffle, mapped = *mapped](Sink& sink) mutable {
        sink.finish();
        sink.table.for_each([&](auto& entry) {
          const int owner = owner_of(entry.key(), entry.marked().mark, partition);
          shuffle.to(owner).push_back({entry.marked(), std::move(entry.value())});
        });
        mapped.mine() = std::move(sink.table);  // has the bytes of long keys
        shuffle.send();
      });
  on_all_cores([combine, shuffle = *shuffle, owned]() mutable {
    KeyTable<K, V>& table = owned.mine();
    std::size_t most = 0;
    shuffle.take([&](std::span<Record> records) { most = std::max(most, records.size()); });
    table.reserve(most);
    shuffle.take([&](std::span<Record> records) {
      constexpr std::size_t kAhead = 16;
      for (std::size_t i = 0; i < records.size(); ++i) {
        if (i + kAhead < records.size()) table.prefetch(records[i + kAhead].key.mark);
        table.add(records[i].key, std::move(records[i].value), combine);
      }
    });
  });
  return skipped;
}

}  // namespace detail
}  // namespace grappa::mapreduce
