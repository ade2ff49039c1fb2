#pragma once

// Graphs made on the spot instead of read.
//
//   EdgeList list = generate(parse_generator("kron:20"), {.seed = 7}, parallel);
//
// The generators:
//   kron:SCALE[:EDGEFACTOR]   2^SCALE vertices, EDGEFACTOR (16) edges a vertex: a Kronecker graph
//                             with Graph500's parameters 0.57, 0.19, 0.19, 0.05, the ids permuted
//   urand:SCALE[:DEGREE]      2^SCALE vertices, DEGREE (16) edges a vertex, both ends uniform
//   grid:ROWSxCOLS            a rectangle of vertices, row by row, each joined to its 4 neighbors
//
// Edge i is a function of the seed and i alone, so a graph is the same however its parts are made,
// and on any processor. kron and urand draw their edges independently, so there are duplicates and
// self-loops: EdgeList::needs_simplify is set. All are undirected.
// Weights are 1 ... 255, a function of the seed and the two ends in either order.
// Errors: UsageError for a specification that is wrong or too large.

#include <cstdint>
#include <span>
#include <string_view>

#include "grappa/graph/io/edge_list.hpp"
#include "grappa/graph/io/internal/io_names.hpp"
#include "grappa/io/parallel_for.hpp"

namespace grappa::graph {

/// The largest SCALE of kron and urand.
inline constexpr int kMaxScale = kVertexBits == 32 ? 31 : 40;
inline constexpr std::int64_t kMaxGeneratedEdges = std::int64_t{1} << 44;

struct GeneratorSpec {
  enum class Kind : std::uint8_t { kKronecker, kUniform, kGrid };

  Kind kind = Kind::kKronecker;
  int scale = 0;                       // kron, urand
  std::int64_t edges_per_vertex = 16;  // kron, urand
  std::int64_t rows = 0;               // grid
  std::int64_t columns = 0;            // grid

  std::int64_t vertex_count() const noexcept;
  /// As generated, before duplicates and self-loops are removed.
  std::int64_t edge_count() const noexcept;
};

/// Whether `text` begins as a generator does: "kron:", "urand:" or "grid:".
bool is_generator(std::string_view text) noexcept;
GeneratorSpec parse_generator(std::string_view text);

struct GenerateOptions {
  std::uint64_t seed = 1;
  bool want_weights = false;
  int part = 0;  // of the edges, cut into `parts` equal parts
  int parts = 1;
};

EdgeList generate(const GeneratorSpec& spec, const GenerateOptions& options,
                  const ParallelFor& parallel);

/// Edges first, first + 1, ... of the graph; for those who want only a part of it.
void generate_edges(const GeneratorSpec& spec, std::uint64_t seed, std::int64_t first,
                    std::span<Edge> edges);

/// The weight of an edge in every generated graph: 1 ... 255.
double generated_weight(std::uint64_t seed, const Edge& edge) noexcept;

}  // namespace grappa::graph
