#include "grappa/graph/rows.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstring>
#include <utility>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace grappa::graph {
namespace {

// Twice this many 8-byte keys, the bucket and its scratch, fit the second-level cache.
constexpr std::uint64_t kArcsPerBucket = std::uint64_t{1} << 15;
// Each needs a cache line to collect keys in, which should stay in the second-level cache, too.
constexpr std::uint64_t kMaxBuckets = 4096;
constexpr std::uint64_t kKeysPerLine = 8;
constexpr int kMaxDigitBits = 11;

/// Writes a whole cache line past the caches: it is not read again soon.
void stream_line(std::uint64_t* to, const std::uint64_t* from) {
#if defined(__SSE2__)
  for (std::size_t i = 0; i < kKeysPerLine; i += 2) {
    _mm_stream_si128(reinterpret_cast<__m128i*>(to + i),
                     _mm_load_si128(reinterpret_cast<const __m128i*>(from + i)));
  }
#else
  std::memcpy(to, from, kKeysPerLine * sizeof(std::uint64_t));
#endif
}

void finish_streams() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

/// One part's way into the buckets: collects a cache line for each before writing it.
class BucketWriter {
 public:
  /// `cursors[b]`: where the part's first key of bucket b goes.
  BucketWriter(std::uint64_t* keys, std::span<const std::uint64_t> cursors)
      : keys_(keys), begin_(cursors.begin(), cursors.end()), lines_(cursors.size()) {
    for (std::size_t b = 0; b < cursors.size(); ++b) lines_[b].cursor = cursors[b];
  }

  void add(std::size_t bucket, std::uint64_t key) {
    Line& line = lines_[bucket];
    const std::uint64_t at = line.cursor++ % kKeysPerLine;
    line.keys[at] = key;
    if (at == kKeysPerLine - 1) flush(bucket, line);
  }

  void finish() {
    for (std::size_t b = 0; b < lines_.size(); ++b) flush(b, lines_[b]);
    finish_streams();
  }

 private:
  struct alignas(64) Line {
    std::array<std::uint64_t, kKeysPerLine> keys;
    std::uint64_t cursor;
  };

  void flush(std::size_t bucket, Line& line) {
    if (line.cursor == begin_[bucket]) return;
    const std::uint64_t start = (line.cursor - 1) / kKeysPerLine * kKeysPerLine;
    if (start >= begin_[bucket] && line.cursor - start == kKeysPerLine) {
      stream_line(keys_ + start, line.keys.data());
    } else {
      // The first or last line, which belongs to a neighbour, too.
      for (std::uint64_t at = std::max(start, begin_[bucket]); at < line.cursor; ++at)
        keys_[at] = line.keys[at - start];
    }
  }

  std::uint64_t* keys_;
  std::vector<std::uint64_t> begin_;
  std::vector<Line> lines_;
};

/// Calls add(row, neighbour) for the arcs of edges [begin, end) of all lists, one behind the other.
template <class Add>
void for_each_arc(const RowSorter::Request& request, std::uint64_t begin, std::uint64_t end,
                  Add add) {
  const auto first = static_cast<std::uint32_t>(request.first);
  std::uint64_t before = 0;
  for (const std::span<const Edge> list : request.edges) {
    const std::uint64_t from = std::clamp(begin, before, before + list.size()) - before;
    const std::uint64_t to = std::clamp(end, before, before + list.size()) - before;
    before += list.size();
    const std::span<const Edge> mine = list.subspan(from, to - from);
    switch (request.direction) {
      case RowSorter::Direction::kForward:
        for (const Edge& e : mine) add(e.source - first, e.target);
        break;
      case RowSorter::Direction::kReverse:
        for (const Edge& e : mine) add(e.target - first, e.source);
        break;
      case RowSorter::Direction::kBoth:
        for (const Edge& e : mine) {
          add(e.source - first, e.target);
          if (e.source != e.target) add(e.target - first, e.source);
        }
        break;
    }
  }
}

/// Sorts by the lowest `bits` bits, going back and forth; returns where the sorted keys are.
std::span<std::uint64_t> radix_sort(std::span<std::uint64_t> keys, std::span<std::uint64_t> scratch,
                                    int bits) {
  const int digits = (bits + kMaxDigitBits - 1) / kMaxDigitBits;
  const int width = digits == 0 ? 0 : (bits + digits - 1) / digits;
  const std::size_t radix = std::size_t{1} << width;
  std::vector<std::uint64_t> counts(static_cast<std::size_t>(digits) * radix);
  for (const std::uint64_t key : keys) {
    for (int d = 0; d < digits; ++d)
      ++counts[static_cast<std::size_t>(d) * radix + ((key >> (d * width)) & (radix - 1))];
  }
  std::span<std::uint64_t> from = keys;
  std::span<std::uint64_t> to = scratch.first(keys.size());
  for (int d = 0; d < digits; ++d) {
    std::uint64_t* place = counts.data() + static_cast<std::size_t>(d) * radix;
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < radix; ++i) sum += std::exchange(place[i], sum);
    for (const std::uint64_t key : from) to[place[(key >> (d * width)) & (radix - 1)]++] = key;
    std::swap(from, to);
  }
  return from;
}

}  // namespace

RowSorter::RowSorter(const Request& request, std::int64_t parts, ParallelFor parallel)
    : first_(request.first),
      rows_(request.last - request.first),
      vertices_(request.vertices),
      parts_(parts),
      simplify_(request.simplify),
      parallel_(std::move(parallel)) {
  partition(request);
}

void RowSorter::choose_buckets(std::uint64_t arcs) {
  const std::uint64_t wanted = std::clamp<std::uint64_t>(arcs / kArcsPerBucket, 1, kMaxBuckets);
  const auto rows = static_cast<std::uint64_t>(rows_);
  while ((rows >> shift_) >= wanted && (rows >> shift_) > 0) ++shift_;
  buckets_.resize(rows == 0 ? 0 : ((rows - 1) >> shift_) + 1);
}

void RowSorter::partition(const Request& request) {
  std::uint64_t edges = 0;
  for (const auto& list : request.edges) edges += list.size();
  choose_buckets(request.direction == Direction::kBoth ? 2 * edges : edges);
  const std::size_t buckets = buckets_.size();
  if (buckets == 0) return;

  // places[part][bucket]: first how many keys the part has for the bucket, then where they go.
  const auto parts = static_cast<std::uint64_t>(parts_);
  std::vector<std::vector<std::uint64_t>> places(parts);
  const auto arcs_of = [&](std::uint64_t part, auto add) {
    for_each_arc(request, edges * part / parts, edges * (part + 1) / parts, add);
  };
  for_parts(parallel_, parts_, [&](std::int64_t p) {
    const auto part = static_cast<std::size_t>(p);
    std::vector<std::uint64_t> counts(buckets);
    arcs_of(part,
            [&, shift = shift_](std::uint32_t row, std::uint32_t) { ++counts[row >> shift]; });
    places[part] = std::move(counts);
  });
  std::uint64_t sum = 0;
  for (std::size_t b = 0; b < buckets; ++b) {
    buckets_[b].begin = sum;
    for (auto& place : places) sum += std::exchange(place[b], sum);
    buckets_[b].end = sum;
  }
  keys_.resize(sum);
  for_parts(parallel_, parts_, [&](std::int64_t p) {
    const auto part = static_cast<std::size_t>(p);
    BucketWriter writer(keys_.data(), places[part]);
    arcs_of(part, [&, shift = shift_](std::uint32_t row, std::uint32_t neighbor) {
      writer.add(row >> shift, Key{row} << 32 | neighbor);
    });
    writer.finish();
  });
}

void RowSorter::sort(std::span<std::uint64_t> offsets) {
  std::uint64_t largest = 0;
  for (const Bucket& bucket : buckets_) largest = std::max(largest, bucket.end - bucket.begin);
  std::atomic<std::size_t> next{0};
  for_parts(parallel_, parts_, [&](std::int64_t) {
    UninitializedVector<Key> scratch;
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

void RowSorter::sort_bucket(std::size_t index, std::span<Key> scratch,
                            std::span<std::uint64_t> offsets) {
  Bucket& bucket = buckets_[index];
  const std::span<Key> keys(keys_.data() + bucket.begin, bucket.end - bucket.begin);
  // Neighbours first, without the zeros between them and the rows.
  const int low = std::bit_width(static_cast<std::uint64_t>(vertices_ - 1));
  const Key low_mask = (Key{1} << low) - 1;
  const Key row_mask = (Key{1} << shift_) - 1;
  for (Key& key : keys) key = (key >> 32 & row_mask) << low | (key & low_mask);
  const std::span<const Key> sorted = radix_sort(keys, scratch, low + shift_);

  const std::int64_t begin_row = first_row(index);
  const std::int64_t end_row = first_row(index + 1);
  std::byte* const targets = targets_of(bucket);
  std::int64_t row = begin_row;
  offsets[static_cast<std::size_t>(row)] = 0;
  std::uint64_t count = 0;
  Key previous = ~Key{0};
  for (const Key key : sorted) {
    const auto neighbor = static_cast<VertexId>(key & low_mask);
    const auto key_row = begin_row + static_cast<std::int64_t>(key >> low);
    const bool self_loop = key_row + first_ == neighbor;
    if (simplify_ && (self_loop || key == previous)) continue;
    previous = key;
    while (row < key_row) offsets[static_cast<std::size_t>(++row)] = count;
    std::memcpy(targets + count * sizeof(VertexId), &neighbor, sizeof neighbor);
    ++count;
    bucket.self_loops += self_loop;
  }
  while (row + 1 < end_row) offsets[static_cast<std::size_t>(++row)] = count;
  bucket.arcs = count;
}

void RowSorter::write(std::span<std::uint64_t> offsets, std::span<VertexId> targets) {
  const std::int64_t buckets = bucket_count();
  for_ranges(parallel_, buckets, 8, [&](std::int64_t begin, std::int64_t end) {
    for (auto b = static_cast<std::size_t>(begin); b < static_cast<std::size_t>(end); ++b) {
      const Bucket& bucket = buckets_[b];
      for (std::int64_t row = first_row(b); row < first_row(b + 1); ++row)
        offsets[static_cast<std::size_t>(row)] += bucket.base;
      if (bucket.arcs != 0) {
        std::memcpy(targets.data() + bucket.base, targets_of(bucket),
                    bucket.arcs * sizeof(VertexId));
      }
    }
  });
  offsets[static_cast<std::size_t>(rows_)] = static_cast<std::uint64_t>(arcs_);
}

}  // namespace grappa::graph
