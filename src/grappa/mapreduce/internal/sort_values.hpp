#pragma once

// Sample sort: from a sample of all values follow splitters; what lies between two of them goes to
// one core, which sorts it. (W. Frazer and A. McKellar, "Samplesort: a sampling approach to minimal
// storage tree sorting", JACM 17(3), 1970.)
//
//   sort_values(values, values, shuffle, std::less<>());   // now in ascending order over the cores
//
// Or from values that stay as they are. Called by one task; switches tasks. Values that are equal
// all come to the same core.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "grappa/mapreduce/internal/bulk.hpp"
#include "grappa/mapreduce/internal/core_state.hpp"
#include "grappa/mapreduce/internal/local_sort.hpp"
#include "grappa/mapreduce/internal/shuffle.hpp"
#include "grappa/parallel/owned.hpp"
#include "grappa/parallel/spawn.hpp"

namespace grappa::mapreduce::detail {

/// Every so-manieth of a core's values.
template <class T>
void sample_of(const Bulk<T>& values, Bulk<T>& sample) {
  const std::size_t most = 256 * static_cast<std::size_t>(core_count());
  const std::size_t step = values.size() / most + 1;
  for (std::size_t i = step / 2; i < values.size(); i += step) sample.push_back(values[i]);
}

/// Sends the values that divide the samples of all cores into equal parts, one part for each core,
/// to all cores; called on core 0.
template <class T, class Serializer, class Before>
void send_splitters(const Shuffle<T, Serializer>& samples, const Shuffle<T, Serializer>& splitters,
                    Before before) {
  std::vector<T> all;
  samples.take([&](std::span<T> part) { all.insert(all.end(), part.begin(), part.end()); });
  std::sort(all.begin(), all.end(), before);
  const auto cores = static_cast<std::size_t>(core_count());
  for (int to = 0; to < core_count(); ++to) {
    for (std::size_t core = 1; core < cores && !all.empty(); ++core)
      splitters.to(to).push_back(all[all.size() * core / cores]);
  }
  splitters.send();
}

/// Values: const where they stay, else they are moved from.
template <class Values, class T, class Serializer, class Before>
void send_by_splitters(Values& values, const std::vector<T>& splitters,
                       const Shuffle<T, Serializer>& shuffle, Before before) {
  for (int core = 0; core < core_count(); ++core) {
    const auto cores = static_cast<std::size_t>(core_count());
    shuffle.to(core).reserve(values.size() / cores + values.size() / (8 * cores) + 64);
  }
  std::vector<Bulk<T>*> to;
  for (int core = 0; core < core_count(); ++core) to.push_back(&shuffle.to(core));
  for (auto& value : values) {
    // Few splitters: counting those that come before is quicker than a search whose steps nobody
    // can predict.
    std::size_t owner = 0;
    if (splitters.size() <= 16) {
      for (const T& splitter : splitters) owner += before(value, splitter) ? 0 : 1;
    } else {
      owner = static_cast<std::size_t>(
          std::upper_bound(splitters.begin(), splitters.end(), value, before) - splitters.begin());
    }
    to[owner]->push_back(std::move(value));
  }
  shuffle.send();
}

/// What `from` has, into `values`, which may be the same, or have nothing. The shuffle keeps what
/// has arrived, to which values may point.
template <class T, class Serializer, class Before>
void sort_values(const CoreState<Bulk<T>>& from, const CoreState<Bulk<T>>& values,
                 const Shuffle<T, Serializer>& shuffle, Before before) {
  const Owned samples = shuffle.create_alike();
  const Owned splitters = shuffle.create_alike();
  on_all_cores([from, samples = *samples] {
    sample_of<T>(from.mine(), samples.to(0));
    samples.send();
  });
  CompletionEvent chosen;
  spawn_on(chosen, 0, [samples = *samples, splitters = *splitters, before] {
    send_splitters(samples, splitters, before);
  });
  chosen.wait();
  on_all_cores([from, values, shuffle, splitters = *splitters, before] {
    std::vector<T> mine;
    splitters.take([&](std::span<T> part) { mine.insert(mine.end(), part.begin(), part.end()); });
    if (&from.mine() == &values.mine()) {
      send_by_splitters(values.mine(), mine, shuffle, before);
      values.mine().clear();  // its memory is for those that come
    } else {
      send_by_splitters(std::as_const(from.mine()), mine, shuffle, before);
    }
  });
  on_all_cores([values, shuffle, before] {
    std::vector<std::span<T>> parts;
    shuffle.take([&](std::span<T> records) { parts.push_back(records); });
    sort_parts<T>(parts, values.mine(), before);
  });
}

}  // namespace grappa::mapreduce::detail
