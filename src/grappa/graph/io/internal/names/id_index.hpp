#pragma once

// From the numbers by which a file calls its vertices to dense ids.
//
//   IdIndex index = IdIndex::from_ascending(names, parallel);
//   VertexId id = index.find(4711);                       // or IdIndex::kAbsent
//
// Three forms, chosen by how the numbers lie: consecutive (a subtraction), dense (a bitmap with
// counts, 1.5 bits for each number up to the largest), sparse (a hash table of 8 to 16 bytes for
// each, over the sorted numbers).
// Thread safety: const members may be called from any number of threads. None suspends a task.

#include <bit>
#include <cstdint>
#include <vector>

#include "grappa/graph/io/internal/io_names.hpp"
#include "grappa/graph/io/vertex_names.hpp"
#include "grappa/graph/structure/vertex_id.hpp"
#include "grappa/io/parallel_for.hpp"
#include "grappa/io/uninitialized_vector.hpp"

namespace grappa::graph::io {

class IdIndex {
 public:
  static constexpr VertexId kAbsent = kNoVertex;

  /// At most kMaxVertices strictly ascending numbers.
  static IdIndex from_ascending(std::vector<std::uint64_t> names, const ParallelFor& parallel);
  /// The numbers i for which bit i % 64 of bits[i / 64] is set; at least one, at most kMaxVertices.
  static IdIndex from_bits(UninitializedVector<std::uint64_t> bits, const ParallelFor& parallel);

  /// The number of set bits.
  static std::int64_t count_bits(const UninitializedVector<std::uint64_t>& bits,
                                 const ParallelFor& parallel);

  std::int64_t size() const noexcept { return count_; }
  /// The id of the vertex that the file calls `name`.
  VertexId find(std::uint64_t name) const noexcept {
    if (form_ == Form::kRange) {
      return name - first_ < static_cast<std::uint64_t>(count_)
                 ? static_cast<VertexId>(name - first_)
                 : kAbsent;
    }
    return form_ == Form::kBits ? find_bit(name) : find_hashed(name);
  }
  /// Whether every vertex is called what its id is.
  bool is_identity() const noexcept { return form_ == Form::kRange && first_ == 0; }

  /// The names by id; takes them out of the index, which is of no use afterwards.
  VertexNames take_names() &&;

 private:
  enum class Form : std::uint8_t { kRange, kBits, kHash };

  VertexId find_bit(std::uint64_t name) const noexcept {
    const std::uint64_t word = name / 64;
    if (word >= bits_.size()) return kAbsent;
    const std::uint64_t bit = std::uint64_t{1} << (name % 64);
    if ((bits_[word] & bit) == 0) return kAbsent;
    return ranks_[word] + static_cast<VertexId>(std::popcount(bits_[word] & (bit - 1)));
  }
  VertexId find_hashed(std::uint64_t name) const noexcept;
  std::size_t slot_of(std::uint64_t name) const noexcept;
  void build_hash(const ParallelFor& parallel);

  Form form_ = Form::kRange;
  std::uint64_t first_ = 0;
  std::int64_t count_ = 0;
  std::vector<std::uint64_t> names_;         // kBits, kHash: [vertices], ascending
  UninitializedVector<std::uint64_t> bits_;  // kBits: [largest / 64 + 1]
  UninitializedVector<VertexId> ranks_;      // kBits: set bits before each word of bits_
  UninitializedVector<VertexId> slots_;      // kHash: [power of two], id or kAbsent
};

}  // namespace grappa::graph::io
