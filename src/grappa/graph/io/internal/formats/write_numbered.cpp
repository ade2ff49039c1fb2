// Matrix Market and DIMACS: an edge a line, the vertices being 1 ... n.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "grappa/base/error.hpp"
#include "grappa/graph/io/internal/formats/writers.hpp"

namespace grappa::graph::io {
namespace {

constexpr double kMaxInteger = 9007199254740992.0;  // 2^53

bool all_integers(const UninitializedVector<double>& weights) {
  return std::all_of(weights.begin(), weights.end(), [](double weight) {
    return weight == std::floor(weight) && std::fabs(weight) < kMaxInteger;
  });
}

void append_pair(std::string& buffer, VertexId first, VertexId second) {
  append_integer(buffer, static_cast<std::uint64_t>(first) + 1);
  buffer += ' ';
  append_integer(buffer, static_cast<std::uint64_t>(second) + 1);
}

void append_arc(std::string& buffer, const EdgeList& list, const Edge& arc, std::size_t edge) {
  buffer += "a ";
  append_pair(buffer, arc.source, arc.target);
  buffer += ' ';
  append_weight_of(buffer, list, edge);
  buffer += '\n';
}

}  // namespace

std::string write_matrix_market(const EdgeList& list, OutputFile& out,
                                const ParallelFor& parallel) {
  const bool weighted = !list.weights.empty();
  out.write(fmt::format("%%MatrixMarket matrix coordinate {} {}\n{} {} {}\n",
                        !weighted                    ? "pattern"
                        : all_integers(list.weights) ? "integer"
                                                     : "real",
                        list.directed ? "general" : "symmetric", list.vertex_count,
                        list.vertex_count, list.edges.size()));
  write_edge_lines(out, list, ' ', weighted, parallel, [&](std::string& buffer, Edge edge) {
    // Symmetric matrices are given by their lower triangle.
    if (!list.directed && edge.source < edge.target) std::swap(edge.source, edge.target);
    append_pair(buffer, edge.source, edge.target);
  });
  return note_renumbered(list, 1);
}

std::string write_dimacs(const EdgeList& list, OutputFile& out, const ParallelFor& parallel) {
  check_integer_weights(list, -kMaxInteger, kMaxInteger, out.path());
  const bool as_edges = !list.directed && list.weights.empty();
  const bool both_ways = !list.directed && !as_edges;
  const auto loops = std::count_if(list.edges.begin(), list.edges.end(),
                                   [](const Edge& edge) { return edge.source == edge.target; });
  const auto edges = static_cast<std::int64_t>(list.edges.size());
  out.write(fmt::format("p {} {} {}\n", as_edges ? "edge" : "sp", list.vertex_count,
                        both_ways ? 2 * edges - loops : edges));
  write_lines(out, edges, parallel, [&](std::string& buffer, std::int64_t i) {
    const auto index = static_cast<std::size_t>(i);
    const Edge edge = list.edges[index];
    if (as_edges) {
      buffer += "e ";
      append_pair(buffer, edge.source, edge.target);
      buffer += '\n';
      return;
    }
    append_arc(buffer, list, edge, index);
    if (both_ways && edge.source != edge.target) {
      append_arc(buffer, list, {edge.target, edge.source}, index);
    }
  });
  std::string note = note_renumbered(list, 1);
  if (!as_edges && list.weights.empty()) note = join_notes(note, "there are no weights: all are 1");
  if (both_ways) note = join_notes(note, "undirected edges are written as two arcs each");
  return note;
}

}  // namespace grappa::graph::io
