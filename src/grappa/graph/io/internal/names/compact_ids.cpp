#include "grappa/graph/io/internal/names/compact_ids.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <utility>

#include "grappa/base/error.hpp"
#include "grappa/graph/exec/tuning.hpp"

namespace grappa::graph::io {
namespace {

constexpr std::uint64_t kMaxBitmapBytesPerEdge = 8;

template <class EdgeT>
std::uint64_t largest_id(const UninitializedVector<EdgeT>& edges, const ParallelFor& parallel) {
  std::atomic<std::uint64_t> largest{0};
  for_ranges(parallel, static_cast<std::int64_t>(edges.size()), tuning::kEdgeGrain,
             [&](std::int64_t begin, std::int64_t end) {
               std::uint64_t mine = 0;
               for (std::int64_t i = begin; i < end; ++i) {
                 const EdgeT& edge = edges[static_cast<std::size_t>(i)];
                 mine = std::max<std::uint64_t>(mine, std::max(edge.source, edge.target));
               }
               std::uint64_t seen = largest.load(std::memory_order_relaxed);
               while (mine > seen && !largest.compare_exchange_weak(seen, mine)) {
               }
             });
  return largest.load();
}

// Most bits are set already when an edge comes to them: looking first spares the locked update.
void set_bit(UninitializedVector<std::uint64_t>& bits, std::uint64_t number) {
  const std::atomic_ref word(bits[number / 64]);
  const std::uint64_t bit = std::uint64_t{1} << (number % 64);
  if ((word.load(std::memory_order_relaxed) & bit) == 0) {
    word.fetch_or(bit, std::memory_order_relaxed);
  }
}

template <class EdgeT>
UninitializedVector<std::uint64_t> mark_ids(const UninitializedVector<EdgeT>& edges,
                                            std::uint64_t largest, const ParallelFor& parallel) {
  UninitializedVector<std::uint64_t> bits(largest / 64 + 1);
  for_ranges(parallel, static_cast<std::int64_t>(bits.size()), tuning::kEdgeGrain,
             [&](std::int64_t begin, std::int64_t end) {
               std::fill(bits.begin() + begin, bits.begin() + end, 0);
             });
  for_ranges(parallel, static_cast<std::int64_t>(edges.size()), tuning::kEdgeGrain,
             [&](std::int64_t begin, std::int64_t end) {
               for (std::int64_t i = begin; i < end; ++i) {
                 set_bit(bits, edges[static_cast<std::size_t>(i)].source);
                 set_bit(bits, edges[static_cast<std::size_t>(i)].target);
               }
             });
  return bits;
}

// The numbers in edges[begin ... end), ascending. A small table of numbers seen lately keeps most
// repetitions out of the sort.
template <class EdgeT>
std::vector<std::uint64_t> distinct_in_range(const UninitializedVector<EdgeT>& edges,
                                             std::int64_t begin, std::int64_t end) {
  constexpr std::size_t kSeen = 4096;
  std::vector<std::uint64_t> seen(kSeen, ~std::uint64_t{0});
  std::vector<std::uint64_t> numbers;
  const auto add = [&](std::uint64_t number) {
    std::uint64_t& last = seen[(number ^ (number >> 12)) % kSeen];
    if (last == number) return;
    last = number;
    numbers.push_back(number);
  };
  for (std::int64_t i = begin; i < end; ++i) {
    add(edges[static_cast<std::size_t>(i)].source);
    add(edges[static_cast<std::size_t>(i)].target);
  }
  sort_unique(numbers);
  return numbers;
}

// All the numbers, ascending: of each range on its own, then merged two by two.
template <class EdgeT>
std::vector<std::uint64_t> distinct_ids(const UninitializedVector<EdgeT>& edges,
                                        const ParallelFor& parallel) {
  const auto count = static_cast<std::int64_t>(edges.size());
  std::vector<std::vector<std::uint64_t>> parts(
      static_cast<std::size_t>((count + tuning::kSortGrain - 1) / tuning::kSortGrain));
  for_ranges(parallel, count, tuning::kSortGrain, [&](std::int64_t begin, std::int64_t end) {
    parts[static_cast<std::size_t>(begin / tuning::kSortGrain)] =
        distinct_in_range(edges, begin, end);
  });
  while (parts.size() > 1) {
    std::vector<std::vector<std::uint64_t>> merged((parts.size() + 1) / 2);
    for_parts(parallel, static_cast<std::int64_t>(merged.size()), [&](std::int64_t i) {
      const auto left = static_cast<std::size_t>(2 * i);
      auto& out = merged[left / 2];
      if (left + 1 == parts.size()) {
        out = std::move(parts[left]);
        return;
      }
      out.reserve(parts[left].size() + parts[left + 1].size());
      std::set_union(parts[left].begin(), parts[left].end(), parts[left + 1].begin(),
                     parts[left + 1].end(), std::back_inserter(out));
      parts[left] = {};
      parts[left + 1] = {};
    });
    parts = std::move(merged);
  }
  return parts.empty() ? std::vector<std::uint64_t>() : std::move(parts.front());
}

template <class EdgeT>
IdIndex index_ids(const UninitializedVector<EdgeT>& edges, const std::string& file,
                  const ParallelFor& parallel) {
  const std::uint64_t largest = largest_id(edges, parallel);
  if (largest / 8 / kMaxBitmapBytesPerEdge <= edges.size()) {
    UninitializedVector<std::uint64_t> bits = mark_ids(edges, largest, parallel);
    if (largest >= static_cast<std::uint64_t>(kMaxVertices)) {
      check_vertex_count(static_cast<std::uint64_t>(IdIndex::count_bits(bits, parallel)), file);
    }
    return IdIndex::from_bits(std::move(bits), parallel);
  }
  std::vector<std::uint64_t> numbers = distinct_ids(edges, parallel);
  check_vertex_count(numbers.size(), file);
  return IdIndex::from_ascending(std::move(numbers), parallel);
}

void take_index(IdIndex index, EdgeList& list) {
  list.vertex_count = index.size();
  list.names = std::move(index).take_names();
}

}  // namespace

void sort_unique(std::vector<std::uint64_t>& numbers) {
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
}

void check_vertex_count(std::uint64_t vertices, const std::string& file, std::int64_t line) {
  if (vertices > static_cast<std::uint64_t>(kMaxVertices)) {
    throw InputError(
        file, line,
        fmt::format("{} vertices, {} are possible{}", vertices, kMaxVertices, kMoreVerticesHint));
  }
}

void compact_ids(UninitializedVector<Edge> edges, EdgeList& list, const std::string& file,
                 const ParallelFor& parallel) {
  if (!edges.empty()) {
    IdIndex index = index_ids(edges, file, parallel);
    if (!index.is_identity())
      renumber_edges(edges, edges, parallel, [&](std::uint64_t id) { return index.find(id); });
    take_index(std::move(index), list);
  }
  list.edges = std::move(edges);
}

void compact_ids(const UninitializedVector<WideEdge>& edges, EdgeList& list,
                 const std::string& file, const ParallelFor& parallel) {
  if (!edges.empty()) {
    IdIndex index = index_ids(edges, file, parallel);
    list.edges.resize(edges.size());
    renumber_edges(edges, list.edges, parallel, [&](std::uint64_t id) { return index.find(id); });
    take_index(std::move(index), list);
  }
}

}  // namespace grappa::graph::io
