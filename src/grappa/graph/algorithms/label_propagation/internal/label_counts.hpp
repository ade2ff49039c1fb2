#pragma once

// The most frequent of the labels of a vertex's neighbors.
//
//   LabelCounts counts;               // used for many vertices, by one core
//   counts.start(degree);
//   for (VertexId w : neighbors) counts.add(label[w]);
//   VertexId most = counts.most_frequent();
//
// A hash table with open addressing, as small as possible with half of it empty: clearing it takes
// time in proportion to a vertex's edges, and the labels of a hub, which are few after some rounds,
// stay in the first-level cache.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "grappa/graph/structure/graph.hpp"

namespace grappa::graph {

class LabelCounts {
 public:
  /// Forgets what was counted; about `labels` are to come.
  void start(std::int64_t labels) {
    const auto wanted = static_cast<std::uint64_t>(std::clamp<std::int64_t>(labels, 4, kAtFirst));
    clear(2 * std::bit_ceil(wanted));
    best_ = {};
  }

  void add(VertexId label) {
    Entry& entry = find(label);
    if (entry.count == 0) {
      entry.label = label;
      ++used_;
    }
    const RowCount count = ++entry.count;
    if (count > best_.count || (count == best_.count && label < best_.label))
      best_ = {.label = label, .count = count};
    if (2 * used_ > mask_ + 1) grow();
  }

  /// The smallest if there are several; kNoVertex if nothing was counted.
  VertexId most_frequent() const { return best_.label; }

 private:
  static constexpr std::int64_t kAtFirst = 256;

  /// Of as many bytes as a vertex: a row may have nearly as many neighbors as there are vertices.
  using RowCount = std::make_unsigned_t<VertexId>;
  struct Entry {
    VertexId label = kNoVertex;
    RowCount count = 0;  // 0: empty
  };

  void clear(std::size_t capacity) {
    if (table_.size() < capacity) table_.resize(capacity);
    std::fill_n(table_.begin(), capacity, Entry{});
    mask_ = capacity - 1;
    used_ = 0;
  }

  /// The entry of a label, or where it is to be.
  Entry& find(VertexId label) {
    std::size_t at = (label * std::uint64_t{0x9e3779b97f4a7c15}) >> 32 & mask_;
    while (table_[at].count != 0 && table_[at].label != label) at = (at + 1) & mask_;
    return table_[at];
  }

  void grow() {
    std::vector<Entry> old(table_.begin(), table_.begin() + static_cast<std::ptrdiff_t>(mask_) + 1);
    clear(2 * old.size());
    for (const Entry& entry : old) {
      if (entry.count == 0) continue;
      find(entry.label) = entry;
      ++used_;
    }
  }

  std::vector<Entry> table_;
  std::size_t mask_ = 0;  // entries [0, mask_] are in use
  std::size_t used_ = 0;
  Entry best_;
};

}  // namespace grappa::graph
