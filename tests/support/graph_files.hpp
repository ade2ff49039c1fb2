#pragma once

// What the tests of graph readers and writers share.
//
//   EdgeList list = read_string(Format::kMatrixMarket, text, {}, {.chunk_bytes = 5});
//   EXPECT_EQ(named_edges(list), (NamedEdges{{"1", "2", 0.5}}));
//   expect_input_error([&] { read_string(Format::kText, "1\n"); }, 1, "1 column");

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "grappa/graph/io/edge_list.hpp"
#include "grappa/graph/io/format.hpp"
#include "grappa/graph/io/internal/formats/readers.hpp"
#include "grappa/io/input.hpp"
#include "grappa/io/parallel_for.hpp"
#include "grappa/io/text/line_reader.hpp"
#include "tests/support/files.hpp"

namespace grappa::graph {

struct NamedEdge {
  std::string source;
  std::string target;
  double weight = 0;  // 0 in a list without weights

  friend bool operator==(const NamedEdge&, const NamedEdge&) = default;
  friend auto operator<=>(const NamedEdge&, const NamedEdge&) = default;
  friend void PrintTo(const NamedEdge& edge, std::ostream* out) {
    *out << edge.source << "-" << edge.target << ":" << edge.weight;
  }
};
using NamedEdges = std::vector<NamedEdge>;

// In the order of the list.
inline NamedEdges named_edges(const EdgeList& list) {
  NamedEdges edges;
  for (std::size_t i = 0; i < list.edges.size(); ++i) {
    edges.push_back({list.names.name(list.edges[i].source), list.names.name(list.edges[i].target),
                     list.weights.empty() ? 0 : list.weights[i]});
  }
  return edges;
}

// Sorted; undirected edges turned so that the smaller id comes first.
inline NamedEdges canonical_edges(EdgeList list) {
  for (Edge& edge : list.edges) {
    if (!list.directed && edge.source > edge.target) std::swap(edge.source, edge.target);
  }
  NamedEdges edges = named_edges(list);
  std::sort(edges.begin(), edges.end());
  return edges;
}

inline std::vector<std::string> all_names(const EdgeList& list) {
  std::vector<std::string> names;
  for (std::int64_t id = 0; id < list.vertex_count; ++id) {
    names.push_back(list.names.name(static_cast<VertexId>(id)));
  }
  return names;
}

// What holds for every list, whatever made it.
inline void expect_sound(const EdgeList& list) {
  EXPECT_EQ(list.names.size(), list.vertex_count);
  EXPECT_TRUE(list.weights.empty() || list.weights.size() == list.edges.size());
  for (const Edge& edge : list.edges) {
    ASSERT_LT(edge.source, list.vertex_count);
    ASSERT_LT(edge.target, list.vertex_count);
  }
}

// By the reader of `format`, from memory, in blocks of `block_bytes`.
inline EdgeList read_string(Format format, std::string_view text,
                            const io::ReadOptions& options = {},
                            std::size_t block_bytes = std::size_t{1} << 26,
                            const ParallelFor& parallel = serial_for()) {
  io::Input input = io::Input::from_memory(text, "test.file");
  if (format == Format::kGap || format == Format::kGapWeighted) {
    return io::read_gap(std::move(input), format == Format::kGapWeighted, options, parallel);
  }
  io::LineReader reader(std::move(input), {.block_bytes = block_bytes});
  switch (format) {
    case Format::kCsv:
      return io::read_csv(reader, options, parallel);
    case Format::kMatrixMarket:
      return io::read_matrix_market(reader, options, parallel);
    case Format::kMetis:
      return io::read_metis(reader, options, parallel);
    case Format::kDimacs:
      return io::read_dimacs(reader, options, parallel);
    case Format::kLdbc:
      return io::read_ldbc(nullptr, reader, options, parallel);
    default:
      return io::read_text(reader, format, options, parallel);
  }
}

// A format under test:
//
//   constexpr Reading kMetis{Format::kMetis};
//   EXPECT_EQ(named_edges(kMetis.read("2 1\n2\n1\n")), (NamedEdges{{"1", "2"}}));
//   kMetis.expect_bad("2 1\n2\n", 2, "1 row");
struct Reading {
  Format format;

  EdgeList read(std::string_view text, const io::ReadOptions& options = {}) const {
    EdgeList list = read_string(format, text, options);
    expect_sound(list);
    return list;
  }

  // Refused with that line and text, wherever blocks and chunks end.
  void expect_bad(std::string_view text, std::int64_t line, std::string_view message,
                  const io::ReadOptions& options = {}) const {
    for (const std::size_t block_bytes : {1u, 7u, 1000000u}) {
      for (const std::size_t chunk_bytes : {1u, 5u, 1000000u}) {
        io::ReadOptions chunked = options;
        chunked.chunk_bytes = chunk_bytes;
        expect_input_error(
            [&] { read_string(format, text, chunked, block_bytes, backwards_for()); }, line,
            message);
      }
    }
  }
};

}  // namespace grappa::graph
