#include "grappa/graph/build/internal/rows.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstring>
#include <type_traits>
#include <utility>

#include "grappa/base/each_slice.hpp"
#include "grappa/base/huge_pages.hpp"
#include "grappa/graph/exec/tuning.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace grappa::graph {
namespace {

constexpr std::size_t kLineBytes = 64;

/// What is sorted: the row in its bucket, above the neighbor, above a weight of a byte if arcs
/// have one. In half the memory where all that is 32 bits.
using Key = std::uint64_t;
using NarrowKey = std::uint32_t;
struct WeightedKey {
  Key key;
  double weight;
};

Key key_of(NarrowKey item) { return item; }
Key key_of(Key item) { return item; }
Key key_of(const WeightedKey& item) { return item.key; }

/// Writes a whole cache line past the caches: it is not read again soon.
void stream_line(void* to, const void* from) {
#if defined(__SSE2__)
  for (std::size_t i = 0; i < kLineBytes / sizeof(__m128i); ++i)
    _mm_stream_si128(static_cast<__m128i*>(to) + i,
                     _mm_load_si128(static_cast<const __m128i*>(from) + i));
#else
  std::memcpy(to, from, kLineBytes);
#endif
}

void finish_streams() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

/// One part's way into the buckets: collects a cache line for each before writing it.
template <class Item>
class BucketWriter {
 public:
  /// `cursors[b]`: where the part's first item of bucket b goes.
  BucketWriter(Item* items, std::span<const std::uint64_t> cursors)
      : items_(items), begin_(cursors.begin(), cursors.end()), lines_(cursors.size()) {
    for (std::size_t b = 0; b < cursors.size(); ++b) lines_[b].cursor = cursors[b];
  }

  void add(std::size_t bucket, const Item& item) {
    Line& line = lines_[bucket];
    const std::uint64_t at = line.cursor++ % kItemsPerLine;
    line.items[at] = item;
    if (at == kItemsPerLine - 1) flush(bucket, line);
  }

  void finish() {
    for (std::size_t b = 0; b < lines_.size(); ++b) flush(b, lines_[b]);
    finish_streams();
  }

 private:
  static constexpr std::size_t kItemsPerLine = kLineBytes / sizeof(Item);
  struct alignas(kLineBytes) Line {
    std::array<Item, kItemsPerLine> items;
    std::uint64_t cursor;
  };

  void flush(std::size_t bucket, Line& line) {
    if (line.cursor == begin_[bucket]) return;
    const std::uint64_t start = (line.cursor - 1) / kItemsPerLine * kItemsPerLine;
    if (start >= begin_[bucket] && line.cursor - start == kItemsPerLine) {
      stream_line(items_ + start, line.items.data());
    } else {
      // The first or last line, which belongs to a neighbor, too.
      for (std::uint64_t at = std::max(start, begin_[bucket]); at < line.cursor; ++at)
        items_[at] = line.items[at - start];
    }
  }

  Item* items_;
  std::vector<std::uint64_t> begin_;
  std::vector<Line> lines_;
};

/// f(list, from, to) for the lists that have some of edges [begin, end) of all lists.
template <class F>
void each_slice_of(const RowSorter::Request& request, std::uint64_t begin, std::uint64_t end,
                   const F& f) {
  internal::each_slice(
      request.edges.size(), begin, end, [&](std::size_t l) { return request.edges[l].size(); },
      [&](std::size_t l, std::uint64_t /*before*/, std::uint64_t from, std::uint64_t to) {
        f(l, from, to);
      });
}

/// Calls add(row, neighbor, weight) for the arcs of edges [begin, end) of all lists, one behind
/// the other; the weight is 1 without kWeighted.
template <bool kWeighted, class Add>
void for_each_arc(const RowSorter::Request& request, std::uint64_t begin, std::uint64_t end,
                  Add add) {
  const auto first = static_cast<VertexId>(request.first);
  each_slice_of(request, begin, end, [&](std::size_t l, std::uint64_t from, std::uint64_t to) {
    const std::span<const Edge> list = request.edges[l];
    const auto each = [&](auto arcs_of) {
      for (std::uint64_t i = from; i < to; ++i) {
        double weight = 1;
        if constexpr (kWeighted) weight = request.weights[l][i];
        arcs_of(list[i], weight);
      }
    };
    switch (request.direction) {
      case RowSorter::Direction::kForward:
        each([&](const Edge& e, double weight) { add(e.source - first, e.target, weight); });
        break;
      case RowSorter::Direction::kReverse:
        each([&](const Edge& e, double weight) { add(e.target - first, e.source, weight); });
        break;
      case RowSorter::Direction::kBoth:
        each([&](const Edge& e, double weight) {
          add(e.source - first, e.target, weight);
          if (e.source != e.target) add(e.target - first, e.source, weight);
        });
        break;
    }
  });
}

/// Gives back the memory of edges [begin, end) of all lists, one behind the other.
void release_edges(const RowSorter::Request& request, std::uint64_t begin, std::uint64_t end) {
  each_slice_of(request, begin, end, [&](std::size_t l, std::uint64_t from, std::uint64_t to) {
    const auto release = [&]<class T>(std::span<const T> elements) {
      // They are const for readers; the caller has promised that there are none any more.
      internal::release_pages(const_cast<T*>(elements.data()) + from, (to - from) * sizeof(T));
    };
    release(request.edges[l]);
    if (request.weight_type != WeightType::kNone) release(request.weights[l]);
  });
}

/// Sorts by the lowest `bits` bits of the keys, going back and forth; returns where the sorted
/// items are.
template <class Item>
std::span<Item> radix_sort(std::span<Item> items, std::span<Item> scratch, int bits) {
  const int digits = (bits + tuning::kMaxDigitBits - 1) / tuning::kMaxDigitBits;
  const int width = digits == 0 ? 0 : (bits + digits - 1) / digits;
  const std::size_t radix = std::size_t{1} << width;
  const auto digit = [=](const Item& item, int d) {
    return (key_of(item) >> (d * width)) & (radix - 1);
  };
  std::vector<std::uint64_t> counts(static_cast<std::size_t>(digits) * radix);
  for (const Item& item : items) {
    for (int d = 0; d < digits; ++d) ++counts[static_cast<std::size_t>(d) * radix + digit(item, d)];
  }
  std::span<Item> from = items;
  std::span<Item> to = scratch.first(items.size());
  for (int d = 0; d < digits; ++d) {
    std::uint64_t* place = counts.data() + static_cast<std::size_t>(d) * radix;
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < radix; ++i) sum += std::exchange(place[i], sum);
    for (const Item& item : from) to[place[digit(item, d)]++] = item;
    std::swap(from, to);
  }
  return from;
}

/// How the weights of sorted arcs are written.
struct WeightWriter {
  WeightType type;

  void write(std::byte* to, std::uint64_t index, double weight) const {
    switch (type) {
      case WeightType::kByte:
        to[index] = static_cast<std::byte>(weight);
        break;
      case WeightType::kWord:
        put(to, index, static_cast<std::uint32_t>(weight));
        break;
      case WeightType::kDouble:
        put(to, index, weight);
        break;
      case WeightType::kNone:
        break;
    }
  }

 private:
  template <class T>
  static void put(std::byte* to, std::uint64_t index, T value) {
    std::memcpy(to + index * sizeof(T), &value, sizeof(T));
  }
};

std::uint64_t edges_of(const RowSorter::Request& request) {
  std::uint64_t edges = 0;
  for (const auto& list : request.edges) edges += list.size();
  return edges;
}

std::uint64_t arcs_of(const RowSorter::Request& request) {
  return edges_of(request) * (request.direction == RowSorter::Direction::kBoth ? 2 : 1);
}

std::uint64_t wanted_buckets(std::uint64_t arcs) {
  return std::clamp<std::uint64_t>(arcs / tuning::kArcsPerBucket, 1, tuning::kMaxBuckets);
}

/// log2 of the rows of a bucket, at most `most`.
int shift_of_buckets(std::uint64_t rows, std::uint64_t arcs, int most) {
  int shift = 0;
  while (shift < most && (rows >> shift) >= wanted_buckets(arcs) && (rows >> shift) > 0) ++shift;
  return shift;
}

int bits_of_neighbors(const RowSorter::Request& request) {
  return std::bit_width(static_cast<std::uint64_t>(request.vertices - 1));
}

/// Whether keys of 32 bits do, without many more buckets than are wanted.
bool has_narrow_keys(const RowSorter::Request& request) {
  const auto rows = static_cast<std::uint64_t>(request.last - request.first);
  const std::uint64_t arcs = arcs_of(request);
  const int shift = shift_of_buckets(rows, arcs, 32 - bits_of_neighbors(request));
  return request.weight_type == WeightType::kNone &&
         rows >> shift <= std::min(tuning::kMaxBuckets, 4 * wanted_buckets(arcs));
}

/// Elements without a value, in ordinary pages: those of a bucket come when it fills up and can be
/// given back before the others are, while huge pages would all be there from the first item on.
template <class Item>
class ItemArray {
 public:
  void allocate(std::uint64_t count) {
    if (count == 0) return;
    memory_ = internal::Mapping::reserve(
        {.bytes = count * sizeof(Item), .purpose = "the rows of a graph"});
    internal::advise_small(memory_.data(), memory_.size());
  }
  Item* data() { return reinterpret_cast<Item*>(memory_.data()); }
  /// Items [begin, end) are not needed any more.
  void release(std::uint64_t begin, std::uint64_t end) {
    internal::release_pages(data() + begin, (end - begin) * sizeof(Item));
  }

 private:
  internal::Mapping memory_;
};

/// Item: NarrowKey where that does, else Key without weights or with such of a byte, else
/// WeightedKey.
template <class Item>
class SorterOf final : public RowSorter {
 public:
  SorterOf(const Request& request, std::int64_t parts, const ParallelFor& parallel)
      : first_(request.first),
        rows_(request.last - request.first),
        parts_(parts),
        simplify_(request.simplify),
        weight_type_(request.weight_type),
        neighbor_bits_(bits_of_neighbors(request)),
        parallel_(parallel) {
    partition(request);
  }

  void sort(std::span<std::uint64_t> offsets) override;
  void write(std::span<std::uint64_t> offsets, std::span<VertexId> targets,
             std::span<std::byte> weights) override;

 private:
  static constexpr bool kWeightBeside = std::is_same_v<Item, WeightedKey>;
  // A neighbor that is sorted takes no more room than the item it was.
  using Sorted = std::conditional_t<std::is_same_v<Item, NarrowKey>, NarrowKey, VertexId>;

  struct Bucket {
    std::uint64_t begin = 0;  // in items_
    std::uint64_t end = 0;
    std::uint64_t arcs = 0;  // that are left after sorting
    std::uint64_t self_loops = 0;
    std::uint64_t base = 0;  // in the result
  };

  void choose_buckets(std::uint64_t arcs);
  void partition(const Request& request);
  Item item_of(VertexId row, VertexId neighbor, double weight) const;
  double weight_of(const Item& item) const;
  void sort_bucket(std::size_t index, std::span<Item> scratch, std::span<std::uint64_t> offsets);
  void write_rows(std::size_t index, std::span<const Item> sorted, std::byte* weights,
                  std::span<std::uint64_t> offsets);

  std::int64_t bucket_count() const { return static_cast<std::int64_t>(buckets_.size()); }
  std::int64_t first_row(std::size_t bucket) const {
    return std::min(rows_, static_cast<std::int64_t>(bucket) << shift_);
  }
  // Once sorted, the memory of a bucket's items has the neighbors, and their weights behind where
  // the last of them could be.
  std::byte* targets_of(const Bucket& bucket) {
    return reinterpret_cast<std::byte*>(items_.data() + bucket.begin);
  }
  void copy_targets(const Bucket& bucket, VertexId* to) {
    const std::byte* const sorted = targets_of(bucket);
    if constexpr (sizeof(Sorted) == sizeof(VertexId)) {
      std::memcpy(to, sorted, bucket.arcs * sizeof(VertexId));
    } else {
      std::copy_n(reinterpret_cast<const Sorted*>(sorted), bucket.arcs, to);
    }
  }
  std::byte* weights_of(const Bucket& bucket) {
    return targets_of(bucket) + (bucket.end - bucket.begin) * sizeof(Sorted);
  }
  int weight_bits() const { return !kWeightBeside && weight_type_ == WeightType::kByte ? 8 : 0; }

  const std::int64_t first_;
  const std::int64_t rows_;
  const std::int64_t parts_;
  const bool simplify_;
  const WeightType weight_type_;
  const int neighbor_bits_;
  const ParallelFor parallel_;
  int shift_ = 0;  // log2 of the rows of a bucket
  std::vector<Bucket> buckets_;
  ItemArray<Item> items_;
};

template <class Item>
void SorterOf<Item>::choose_buckets(std::uint64_t arcs) {
  constexpr int kKeyBits = sizeof(Item) < sizeof(Key) ? 32 : 64;
  const auto rows = static_cast<std::uint64_t>(rows_);
  shift_ = shift_of_buckets(rows, arcs, kKeyBits - neighbor_bits_ - weight_bits());
  buckets_.resize(rows == 0 ? 0 : ((rows - 1) >> shift_) + 1);
}

template <class Item>
Item SorterOf<Item>::item_of(VertexId row, VertexId neighbor, double weight) const {
  const Key row_in_bucket = static_cast<Key>(row) & ((Key{1} << shift_) - 1);
  const Key key = row_in_bucket << neighbor_bits_ | static_cast<Key>(neighbor);
  if constexpr (kWeightBeside) {
    return {key, weight};
  } else if constexpr (std::is_same_v<Item, NarrowKey>) {
    return static_cast<NarrowKey>(key);
  } else {
    return weight_bits() == 0 ? key : key << weight_bits() | static_cast<std::uint8_t>(weight);
  }
}

template <class Item>
double SorterOf<Item>::weight_of(const Item& item) const {
  if constexpr (kWeightBeside) {
    return item.weight;
  } else {
    return static_cast<double>(item & 0xff);
  }
}

template <class Item>
void SorterOf<Item>::partition(const Request& request) {
  const std::uint64_t edges = edges_of(request);
  choose_buckets(arcs_of(request));
  const std::size_t buckets = buckets_.size();
  if (buckets == 0) return;

  // places[part][bucket]: first how many items the part has for the bucket, then where they go.
  const auto parts = static_cast<std::uint64_t>(parts_);
  std::vector<std::vector<std::uint64_t>> places(parts);
  const auto begin_of = [&](std::uint64_t part) { return edges * part / parts; };
  for_parts(parallel_, parts_, [&](std::int64_t p) {
    const auto part = static_cast<std::size_t>(p);
    std::vector<std::uint64_t> counts(buckets);
    for_each_arc<false>(
        request, begin_of(part), begin_of(part + 1),
        [&, shift = shift_](VertexId row, VertexId, double) { ++counts[row >> shift]; });
    places[part] = std::move(counts);
  });
  std::uint64_t sum = 0;
  for (std::size_t b = 0; b < buckets; ++b) {
    buckets_[b].begin = sum;
    for (auto& place : places) sum += std::exchange(place[b], sum);
    buckets_[b].end = sum;
  }
  items_.allocate(sum);
  for_parts(parallel_, parts_, [&](std::int64_t p) {
    const auto part = static_cast<std::size_t>(p);
    BucketWriter<Item> writer(items_.data(), places[part]);
    const auto add = [&, shift = shift_](VertexId row, VertexId neighbor, double weight) {
      writer.add(static_cast<std::size_t>(row >> shift), item_of(row, neighbor, weight));
    };
    const std::uint64_t end = begin_of(part + 1);
    // Memory is given back as it is read.
    constexpr auto kReleased = static_cast<std::uint64_t>(tuning::kEdgeGrain);
    for (std::uint64_t i = begin_of(part); i < end; i += kReleased) {
      const std::uint64_t next = std::min(end, i + kReleased);
      if (weight_type_ == WeightType::kNone) {
        for_each_arc<false>(request, i, next, add);
      } else {
        for_each_arc<true>(request, i, next, add);
      }
      if (request.release) release_edges(request, i, next);
    }
    writer.finish();
  });
}

template <class Item>
void SorterOf<Item>::sort(std::span<std::uint64_t> offsets) {
  std::uint64_t largest = 0;
  for (const Bucket& bucket : buckets_) largest = std::max(largest, bucket.end - bucket.begin);
  std::atomic<std::size_t> next{0};
  for_parts(parallel_, parts_, [&](std::int64_t) {
    UninitializedVector<Item> scratch;
    for (;;) {
      const std::size_t index = next.fetch_add(1, std::memory_order_relaxed);
      if (index >= buckets_.size()) return;
      if (scratch.empty()) scratch.resize(largest);
      sort_bucket(index, scratch, offsets);
    }
  });
  std::uint64_t arcs = 0;
  for (Bucket& bucket : buckets_) {
    bucket.base = arcs;
    arcs += bucket.arcs;
    self_loops_ += static_cast<std::int64_t>(bucket.self_loops);
  }
  arcs_ = static_cast<std::int64_t>(arcs);
}

template <class Item>
void SorterOf<Item>::sort_bucket(std::size_t index, std::span<Item> scratch,
                                 std::span<std::uint64_t> offsets) {
  const Bucket& bucket = buckets_[index];
  const std::span<Item> items(items_.data() + bucket.begin, bucket.end - bucket.begin);
  const std::span<Item> sorted =
      radix_sort(items, scratch, shift_ + neighbor_bits_ + weight_bits());
  if constexpr (kWeightBeside) {
    for (auto run = sorted.begin(); run != sorted.end();) {
      const auto end = std::find_if(run + 1, sorted.end(),
                                    [&](const Item& item) { return item.key != run->key; });
      if (end - run > 1) std::sort(run, end, [](auto& a, auto& b) { return a.weight < b.weight; });
      run = end;
    }
  }
  if (weight_type_ == WeightType::kNone || sorted.data() != items.data()) {
    write_rows(index, sorted, weights_of(bucket), offsets);
    return;
  }
  // The neighbors take no more room than the items that were read, but the weights would.
  auto* const weights = reinterpret_cast<std::byte*>(scratch.data());
  write_rows(index, sorted, weights, offsets);
  if (bucket.arcs != 0)
    std::memcpy(weights_of(bucket), weights, bucket.arcs * weight_bytes(weight_type_));
}

template <class Item>
void SorterOf<Item>::write_rows(std::size_t index, std::span<const Item> sorted, std::byte* weights,
                                std::span<std::uint64_t> offsets) {
  Bucket& bucket = buckets_[index];
  const Key neighbor_mask = (Key{1} << neighbor_bits_) - 1;
  const WeightWriter weight_writer{weight_type_};
  const std::int64_t begin_row = first_row(index);
  const std::int64_t end_row = first_row(index + 1);
  std::byte* const targets = targets_of(bucket);
  std::int64_t row = begin_row;
  offsets[static_cast<std::size_t>(row)] = 0;
  std::uint64_t count = 0;
  Key previous = ~Key{0};
  for (const Item& item : sorted) {
    const Key key = key_of(item) >> weight_bits();
    const auto neighbor = static_cast<Sorted>(key & neighbor_mask);
    const auto key_row = begin_row + static_cast<std::int64_t>(key >> neighbor_bits_);
    const bool self_loop = key_row + first_ == static_cast<std::int64_t>(neighbor);
    if (simplify_ && (self_loop || key == previous)) continue;
    previous = key;
    while (row < key_row) offsets[static_cast<std::size_t>(++row)] = count;
    weight_writer.write(weights, count, weight_of(item));
    std::memcpy(targets + count * sizeof neighbor, &neighbor, sizeof neighbor);
    ++count;
    bucket.self_loops += self_loop;
  }
  while (row + 1 < end_row) offsets[static_cast<std::size_t>(++row)] = count;
  bucket.arcs = count;
}

template <class Item>
void SorterOf<Item>::write(std::span<std::uint64_t> offsets, std::span<VertexId> targets,
                           std::span<std::byte> weights) {
  const std::size_t width = weight_bytes(weight_type_);
  for_ranges(parallel_, bucket_count(), 8, [&](std::int64_t begin, std::int64_t end) {
    for (auto b = static_cast<std::size_t>(begin); b < static_cast<std::size_t>(end); ++b) {
      const Bucket& bucket = buckets_[b];
      for (std::int64_t row = first_row(b); row < first_row(b + 1); ++row)
        offsets[static_cast<std::size_t>(row)] += bucket.base;
      if (bucket.arcs == 0) continue;
      copy_targets(bucket, targets.data() + bucket.base);
      if (width != 0)
        std::memcpy(weights.data() + bucket.base * width, weights_of(bucket), bucket.arcs * width);
    }
    items_.release(buckets_[static_cast<std::size_t>(begin)].begin,
                   buckets_[static_cast<std::size_t>(end) - 1].end);
  });
  offsets[static_cast<std::size_t>(rows_)] = static_cast<std::uint64_t>(arcs_);
}

}  // namespace

std::unique_ptr<RowSorter> RowSorter::create(const Request& request, std::int64_t parts,
                                             const ParallelFor& parallel) {
  if (bytes_per_arc(request.weight_type) == sizeof(WeightedKey))
    return std::make_unique<SorterOf<WeightedKey>>(request, parts, parallel);
  if (has_narrow_keys(request))
    return std::make_unique<SorterOf<NarrowKey>>(request, parts, parallel);
  return std::make_unique<SorterOf<Key>>(request, parts, parallel);
}

}  // namespace grappa::graph
