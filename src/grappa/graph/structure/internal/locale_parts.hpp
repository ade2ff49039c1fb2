#pragma once

// Where the part of a locale lies in an array that has an element, or a bit, for every vertex: the
// argument of Replica::all_gather.
//
//   rank.all_gather(vertices_of_locale(graph));
//   seen.all_gather(words_of_locale(graph));

#include <utility>

#include "grappa/graph/structure/graph.hpp"
#include "grappa/graph/structure/internal/bitmap.hpp"

namespace grappa::graph {

inline auto vertices_of_locale(const Graph& graph) {
  return [graph](int locale) {
    return std::pair(graph.first_vertex_of(locale), graph.first_vertex_of(locale + 1));
  };
}

/// The words of a bitmap.
inline auto words_of_locale(const Graph& graph) {
  return [graph](int locale) {
    return std::pair(bitmap_words(graph.first_vertex_of(locale)),
                     bitmap_words(graph.first_vertex_of(locale + 1)));
  };
}

}  // namespace grappa::graph
