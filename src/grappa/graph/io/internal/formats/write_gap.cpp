// Serialized graphs of the GAP Benchmark Suite; gap_file.hpp has the layout.

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "grappa/base/error.hpp"
#include "grappa/graph/io/internal/formats/adjacency.hpp"
#include "grappa/graph/io/internal/formats/gap_file.hpp"
#include "grappa/graph/io/internal/formats/writers.hpp"

namespace grappa::graph::io {
namespace {

template <class T>
void write_bytes(OutputFile& out, const T* values, std::size_t count) {
  out.write({reinterpret_cast<const char*>(values), count * sizeof(T)});
}

// 32-bit numbers: neighbors, each with its weight if `weighted`.
void write_words(const Adjacency& adjacency, bool weighted, OutputFile& out) {
  constexpr std::size_t kPiece = std::size_t{1} << 17;  // arcs
  std::vector<std::int32_t> piece;
  const std::size_t arcs = adjacency.neighbors.size();
  for (std::size_t first = 0; first < arcs; first += kPiece) {
    piece.clear();
    for (std::size_t i = first; i < std::min(arcs, first + kPiece); ++i) {
      piece.push_back(static_cast<std::int32_t>(adjacency.neighbors[i]));
      if (!weighted) continue;
      piece.push_back(adjacency.weights.empty() ? 1
                                                : static_cast<std::int32_t>(adjacency.weights[i]));
    }
    write_bytes(out, piece.data(), piece.size());
  }
}

void write_adjacency(const Adjacency& adjacency, bool weighted, OutputFile& out) {
  write_bytes(out, adjacency.offsets.data(), adjacency.offsets.size());
  if (weighted || sizeof(VertexId) != sizeof(std::int32_t)) {
    write_words(adjacency, weighted, out);
  } else {
    write_bytes(out, adjacency.neighbors.data(), adjacency.neighbors.size());
  }
}

}  // namespace

std::string write_gap(const EdgeList& list, bool weighted, OutputFile& out,
                      const ParallelFor& parallel) {
  constexpr double kMaxWeight = 2147483647;
  if (list.vertex_count > kMaxGapVertices) {
    throw UsageError(fmt::format("{}: {} vertices, but this format has at most {}", out.path(),
                                 list.vertex_count, kMaxGapVertices));
  }
  if (weighted) check_integer_weights(list, -kMaxWeight - 1, kMaxWeight, out.path());

  const Adjacency by_source =
      build_adjacency(list, list.directed ? ArcsOf::kSource : ArcsOf::kBothEnds, parallel);
  const char directed = list.directed ? 1 : 0;
  const std::int64_t sizes[] = {static_cast<std::int64_t>(by_source.neighbors.size()),
                                list.vertex_count};
  write_bytes(out, &directed, 1);
  write_bytes(out, sizes, 2);
  write_adjacency(by_source, weighted, out);
  if (list.directed) {
    write_adjacency(build_adjacency(list, ArcsOf::kTarget, parallel), weighted, out);
  }

  std::string note = note_renumbered(list, 0);
  if (weighted && list.weights.empty()) note = join_notes(note, "there are no weights: all are 1");
  if (!weighted && !list.weights.empty()) note = join_notes(note, "weights are left out");
  return note;
}

}  // namespace grappa::graph::io
