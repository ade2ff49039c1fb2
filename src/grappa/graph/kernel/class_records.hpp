#pragma once

// What a locale tells the others of its vertices in a class of coloring.cpp, so that each of them
// can find the colours of the whole class by itself: of each vertex the colours that its neighbours
// have already, and its neighbours in the class that are to get theirs before it.
//
//   ClassRecords records;                       // of one core
//   records.begin(v);
//   records.add_taken(color);  records.add_before(u);      // in any order
//   records.end();
//   …                                           // words() go to the other locales
//   paint_in_order(all_words, rank, mark);      // the words of all locales
//
// The words of a vertex: itself, how many words its bitmap of colours has, how many neighbours are
// before it, the bitmap, these neighbours. For one task at a time.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "grappa/graph/graph.hpp"

namespace grappa::graph {

/// A set of colours, as bits of 32-bit words.
class ColorSet {
 public:
  void clear() { words_.clear(); }
  void assign(std::span<const std::uint32_t> words) { words_.assign(words.begin(), words.end()); }
  void add(std::uint32_t color) {
    if (color / 32 >= words_.size()) words_.resize(color / 32 + 1);
    words_[color / 32] |= std::uint32_t{1} << (color % 32);
  }
  /// The smallest that is not in it.
  std::uint32_t first_free() const {
    const auto word = std::ranges::find_if(words_, [](std::uint32_t w) { return ~w != 0; });
    const auto full = static_cast<std::uint32_t>((word - words_.begin()) * 32);
    return word == words_.end() ? full : full + static_cast<std::uint32_t>(std::countr_one(*word));
  }
  std::span<const std::uint32_t> words() const { return words_; }

 private:
  std::vector<std::uint32_t> words_;
};

class ClassRecords {
 public:
  void begin(VertexId v) {
    vertex_ = v;
    taken_.clear();
    before_.clear();
  }
  void add_taken(std::uint32_t color) { taken_.add(color); }
  void add_before(VertexId u) { before_.push_back(u); }
  void end() {
    words_.push_back(vertex_);
    words_.push_back(static_cast<std::uint32_t>(taken_.words().size()));
    words_.push_back(static_cast<std::uint32_t>(before_.size()));
    words_.insert(words_.end(), taken_.words().begin(), taken_.words().end());
    words_.insert(words_.end(), before_.begin(), before_.end());
  }

  std::span<const std::uint32_t> words() const { return words_; }

 private:
  VertexId vertex_ = 0;
  ColorSet taken_;
  std::vector<VertexId> before_;
  std::vector<std::uint32_t> words_;
};

/// Colours all vertices in the records, the greatest rank(v) first: mark[v] becomes the smallest
/// colour that is not taken. Ranks are different.
template <class Rank>
void paint_in_order(std::span<const std::vector<std::uint32_t>> parts, Rank rank,
                    std::uint32_t* mark) {
  using RankOf = decltype(rank(VertexId{0}));
  std::vector<std::pair<RankOf, const std::uint32_t*>> order;
  for (const std::vector<std::uint32_t>& words : parts) {
    for (std::size_t at = 0; at < words.size(); at += 3 + words[at + 1] + words[at + 2])
      order.emplace_back(rank(words[at]), &words[at]);
  }
  std::ranges::sort(order, std::greater<>(), [](const auto& entry) { return entry.first; });
  ColorSet taken;
  for (const auto& [unused, record] : order) {
    taken.assign({record + 3, record[1]});
    for (const VertexId u : std::span(record + 3 + record[1], record[2])) taken.add(mark[u]);
    mark[record[0]] = taken.first_free();
  }
}

}  // namespace grappa::graph
