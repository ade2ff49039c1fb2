#pragma once

// A forest as labels: every vertex points to a vertex of its tree with a smaller or equal number,
// so the root of a tree, which points to itself, is its smallest vertex. Cores may link and read at
// the same time; labels only ever become smaller, so relaxed operations suffice.

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstring>
#include <utility>

#include "grappa/graph/structure/graph.hpp"
#include "grappa/graph/structure/internal/bitmap.hpp"
#include "grappa/graph/structure/internal/shared_values.hpp"

namespace grappa::graph {

/// A vertex and another one of its tree, for another locale.
struct Join {
  VertexId vertex;
  VertexId label;
};

inline VertexId root_of(VertexId* label, std::uint64_t v) {
  VertexId up = load_shared(label[v]);
  for (VertexId root = load_shared(label[up]); root != up; root = load_shared(label[up])) up = root;
  return up;
}

/// Joins the trees of u and v by hooking the larger root under the smaller. Returns the root that
/// was hooked, or kNoVertex if they were in one tree already.
inline VertexId link(VertexId* label, VertexId u, VertexId v) {
  VertexId a = load_shared(label[u]);
  VertexId b = load_shared(label[v]);
  while (a != b) {
    if (a < b) std::swap(a, b);
    // a is larger. If it is a root, b becomes its parent; else its parent is tried.
    VertexId parent = load_shared(label[a]);
    if (parent == b) break;
    if (parent == a &&
        std::atomic_ref(label[a]).compare_exchange_strong(parent, b, std::memory_order_relaxed)) {
      return a;
    }
    a = load_shared(label[parent]);
    b = load_shared(label[b]);
  }
  return kNoVertex;
}

/// The bits of word `word` of the set of vertices below n for which test(v, label of v) holds.
/// Without branches, which would be unpredictable: the tests become vector instructions, and eight
/// results become one byte.
template <class Test>
std::uint64_t labels_where(const VertexId* label, std::int64_t n, std::int64_t word, Test test) {
  static_assert(std::endian::native == std::endian::little);
  const std::int64_t first = word * kBitsPerWord;
  std::array<std::uint8_t, kBitsPerWord> holds{};
  const auto note = [&](std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i)
      holds[static_cast<std::size_t>(i)] = test(static_cast<VertexId>(first + i), label[first + i]);
  };
  if (first + kBitsPerWord <= n) {
    note(kBitsPerWord);
  } else {
    note(n - first);
  }
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < holds.size(); i += 8) {
    std::uint64_t eight = 0;
    std::memcpy(&eight, &holds[i], sizeof eight);
    // Carries bit 8 k to bit 56 + k.
    bits |= (eight * 0x0102'0408'1020'4080 >> 56) << i;
  }
  return bits;
}

/// Compresses paths: gives vertices [first, last) the labels of their roots. If `usual` is a root,
/// words of vertices that all are roots or already have that label are skipped (kNoVertex: none).
inline void compress(VertexId* label, std::int64_t first, std::int64_t last, VertexId usual) {
  const auto set_root = [label](std::uint64_t v) {
    std::atomic_ref(label[v]).store(root_of(label, v), std::memory_order_relaxed);
  };
  const bool in_words = usual != kNoVertex && root_of(label, usual) == usual;
  for (std::int64_t v = first; v < last;) {
    if (!in_words || v % kBitsPerWord != 0 || v + kBitsPerWord > last) {
      set_root(static_cast<std::uint64_t>(v++));
      continue;
    }
    const std::uint64_t done = labels_where(
        label, last, v / kBitsPerWord,
        [usual](VertexId w, VertexId of_w) { return int{of_w == usual} | int{of_w == w}; });
    for_each_bit(~done, v / kBitsPerWord, set_root);
    v += kBitsPerWord;
  }
}

}  // namespace grappa::graph
