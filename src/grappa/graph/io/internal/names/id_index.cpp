#include "grappa/graph/io/internal/names/id_index.hpp"

#include "grappa/graph/exec/tuning.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

namespace grappa::graph::io {
namespace {

// A bitmap is used up to so many bits a vertex: beyond, a hash table is smaller.
constexpr std::uint64_t kMaxBitsPerName = 64;

std::uint64_t scramble(std::uint64_t x) noexcept {
  x = (x ^ (x >> 32)) * 0x9e3779b97f4a7c15;
  return x ^ (x >> 29);
}

void append_set_bits(std::uint64_t word, std::uint64_t base, std::uint64_t* out) {
  for (; word != 0; word &= word - 1) {
    *out++ = base + static_cast<std::uint64_t>(std::countr_zero(word));
  }
}

}  // namespace

std::int64_t IdIndex::count_bits(const UninitializedVector<std::uint64_t>& bits,
                                 const ParallelFor& parallel) {
  std::atomic<std::int64_t> total{0};
  for_ranges(parallel, static_cast<std::int64_t>(bits.size()), tuning::kNameGrain,
             [&](std::int64_t begin, std::int64_t end) {
               std::int64_t count = 0;
               for (std::int64_t i = begin; i < end; ++i) {
                 count += std::popcount(bits[static_cast<std::size_t>(i)]);
               }
               total.fetch_add(count, std::memory_order_relaxed);
             });
  return total.load();
}

IdIndex IdIndex::from_bits(UninitializedVector<std::uint64_t> bits, const ParallelFor& parallel) {
  const auto words = static_cast<std::int64_t>(bits.size());
  std::vector<std::int64_t> before(
      static_cast<std::size_t>((words + tuning::kNameGrain - 1) / tuning::kNameGrain) + 1, 0);
  for_ranges(parallel, words, tuning::kNameGrain, [&](std::int64_t begin, std::int64_t end) {
    std::int64_t count = 0;
    for (std::int64_t i = begin; i < end; ++i) {
      count += std::popcount(bits[static_cast<std::size_t>(i)]);
    }
    before[static_cast<std::size_t>(begin / tuning::kNameGrain) + 1] = count;
  });
  for (std::size_t i = 1; i < before.size(); ++i) before[i] += before[i - 1];

  IdIndex index;
  index.count_ = before.back();
  std::size_t low = 0;
  while (bits[low] == 0) ++low;
  std::size_t high = bits.size() - 1;
  while (bits[high] == 0) --high;
  const std::uint64_t first = low * 64 + static_cast<std::uint64_t>(std::countr_zero(bits[low]));
  const std::uint64_t last =
      high * 64 + 63 - static_cast<std::uint64_t>(std::countl_zero(bits[high]));
  if (last - first == static_cast<std::uint64_t>(index.count_) - 1) {
    index.first_ = first;
    return index;
  }

  index.form_ = Form::kBits;
  index.ranks_.resize(bits.size());
  index.names_.resize(static_cast<std::size_t>(index.count_));
  for_ranges(parallel, words, tuning::kNameGrain, [&](std::int64_t begin, std::int64_t end) {
    std::int64_t rank = before[static_cast<std::size_t>(begin / tuning::kNameGrain)];
    for (std::int64_t i = begin; i < end; ++i) {
      const std::uint64_t word = bits[static_cast<std::size_t>(i)];
      index.ranks_[static_cast<std::size_t>(i)] = static_cast<VertexId>(rank);
      append_set_bits(word, static_cast<std::uint64_t>(i) * 64, index.names_.data() + rank);
      rank += std::popcount(word);
    }
  });
  index.bits_ = std::move(bits);
  return index;
}

IdIndex IdIndex::from_ascending(std::vector<std::uint64_t> names, const ParallelFor& parallel) {
  IdIndex index;
  index.count_ = static_cast<std::int64_t>(names.size());
  if (names.empty()) return index;
  if (names.back() - names.front() == names.size() - 1) {
    index.first_ = names.front();
    return index;
  }
  if (names.back() / kMaxBitsPerName < names.size()) {
    UninitializedVector<std::uint64_t> bits(names.back() / 64 + 1);
    std::fill(bits.begin(), bits.end(), 0);
    for (const std::uint64_t name : names) bits[name / 64] |= std::uint64_t{1} << (name % 64);
    return from_bits(std::move(bits), parallel);
  }
  index.form_ = Form::kHash;
  index.names_ = std::move(names);
  index.build_hash(parallel);
  return index;
}

std::size_t IdIndex::slot_of(std::uint64_t name) const noexcept {
  return static_cast<std::size_t>(scramble(name)) & (slots_.size() - 1);
}

void IdIndex::build_hash(const ParallelFor& parallel) {
  slots_.resize(std::bit_ceil(2 * names_.size()));
  for_ranges(parallel, static_cast<std::int64_t>(slots_.size()), tuning::kNameGrain,
             [&](std::int64_t begin, std::int64_t end) {
               std::fill(slots_.begin() + begin, slots_.begin() + end, kAbsent);
             });
  for_ranges(parallel, count_, tuning::kNameGrain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      std::size_t slot = slot_of(names_[static_cast<std::size_t>(i)]);
      VertexId expected = kAbsent;
      while (!std::atomic_ref(slots_[slot])
                  .compare_exchange_strong(expected, static_cast<VertexId>(i),
                                           std::memory_order_relaxed)) {
        slot = (slot + 1) & (slots_.size() - 1);
        expected = kAbsent;
      }
    }
  });
}

VertexId IdIndex::find_hashed(std::uint64_t name) const noexcept {
  for (std::size_t slot = slot_of(name);; slot = (slot + 1) & (slots_.size() - 1)) {
    const VertexId id = slots_[slot];
    if (id == kAbsent || names_[id] == name) return id;
  }
}

VertexNames IdIndex::take_names() && {
  return form_ == Form::kRange ? VertexNames::range(first_, count_)
                               : VertexNames::integers(std::move(names_));
}

}  // namespace grappa::graph::io
