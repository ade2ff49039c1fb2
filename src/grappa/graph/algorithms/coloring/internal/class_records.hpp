#pragma once

// What a locale sends to the others about its vertices in a class of coloring.cpp, so that each can
// compute the colors of the whole class by itself: for each vertex, the colors that its neighbors
// already have, and its neighbors in the class that get theirs before it.
//
//   ClassRecords records;                       // of one core
//   records.begin(v);
//   records.add_taken(color);                   // these two in any order
//   records.add_before(u);
//   records.end();
//   …                                           // words() go to the other locales
//   paint_in_order(all_words, rank, mark);      // the words of all locales
//
// The words of a vertex: itself, how many words its bitmap of colors has, how many neighbors are
// before it, the bitmap, these neighbors. For one task at a time.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "grappa/graph/structure/graph.hpp"

namespace grappa::graph {

/// A vertex, or as many members of a set of colors as it has bits.
using ClassWord = std::make_unsigned_t<VertexId>;

/// A set of colors, as bits of words.
class ColorSet {
 public:
  void clear() { words_.clear(); }
  void assign(std::span<const ClassWord> words) { words_.assign(words.begin(), words.end()); }
  void add(std::uint32_t color) {
    if (color / kVertexBits >= words_.size()) words_.resize(color / kVertexBits + 1);
    words_[color / kVertexBits] |= ClassWord{1} << (color % kVertexBits);
  }
  /// The smallest that is not in it.
  std::uint32_t first_free() const {
    const auto word = std::ranges::find_if(words_, [](ClassWord w) { return ~w != 0; });
    const auto full = static_cast<std::uint32_t>((word - words_.begin()) * kVertexBits);
    return word == words_.end() ? full : full + static_cast<std::uint32_t>(std::countr_one(*word));
  }
  std::span<const ClassWord> words() const { return words_; }

 private:
  std::vector<ClassWord> words_;
};

class ClassRecords {
 public:
  void begin(VertexId v) {
    vertex_ = v;
    taken_.clear();
    before_.clear();
  }
  void add_taken(std::uint32_t color) { taken_.add(color); }
  void add_before(VertexId u) { before_.push_back(static_cast<ClassWord>(u)); }
  void end() {
    words_.push_back(static_cast<ClassWord>(vertex_));
    words_.push_back(static_cast<ClassWord>(taken_.words().size()));
    words_.push_back(static_cast<ClassWord>(before_.size()));
    words_.insert(words_.end(), taken_.words().begin(), taken_.words().end());
    words_.insert(words_.end(), before_.begin(), before_.end());
  }

  std::span<const ClassWord> words() const { return words_; }

 private:
  VertexId vertex_ = 0;
  ColorSet taken_;
  std::vector<ClassWord> before_;
  std::vector<ClassWord> words_;
};

/// Colors all vertices in the records, the greatest rank(v) first: mark[v] becomes the smallest
/// color that is not taken. Ranks are different.
template <class Rank>
void paint_in_order(std::span<const std::vector<ClassWord>> parts, Rank rank, std::uint32_t* mark) {
  using RankOf = decltype(rank(VertexId{0}));
  std::vector<std::pair<RankOf, const ClassWord*>> order;
  for (const std::vector<ClassWord>& words : parts) {
    for (std::size_t at = 0; at < words.size(); at += 3 + words[at + 1] + words[at + 2])
      order.emplace_back(rank(static_cast<VertexId>(words[at])), &words[at]);
  }
  std::ranges::sort(order, std::greater<>(), [](const auto& entry) { return entry.first; });
  ColorSet taken;
  for (const auto& [unused, record] : order) {
    taken.assign({record + 3, record[1]});
    for (const ClassWord u : std::span(record + 3 + record[1], record[2])) taken.add(mark[u]);
    mark[record[0]] = taken.first_free();
  }
}

}  // namespace grappa::graph
