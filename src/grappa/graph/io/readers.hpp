#pragma once

// One reader a format: text or bytes in, edge list out. load_edge_list() chooses among them.
//
//   LineReader reader(Input::open("grid.mtx"), {});
//   EdgeList list = read_matrix_market(reader, {}, serial_for());
//
// Errors: InputError with file, line and what was expected there.

#include <cstddef>
#include <functional>
#include <optional>

#include "grappa/graph/io/edge_list.hpp"
#include "grappa/graph/io/format.hpp"
#include "grappa/graph/io/input.hpp"
#include "grappa/graph/io/line_reader.hpp"
#include "grappa/graph/io/parallel_for.hpp"

namespace grappa::graph::io {

struct ReadOptions {
  std::optional<bool> directed = {};               // overrides what the file says, or does not say
  bool want_weights = false;                       // otherwise weights are not even looked at
  std::size_t chunk_bytes = std::size_t{1} << 20;  // of text, for one task
  std::function<void(double fraction)> progress = {};  // called now and then on the calling thread
};

// kText, kBareText, kWeightedText or kTabs. Names are integers, or strings where the first lines
// have them.
EdgeList read_text(LineReader& reader, Format format, const ReadOptions& options,
                   const ParallelFor& parallel);

// Comma or semicolon between the columns, fields may be quoted, the first line may be a header.
EdgeList read_csv(LineReader& reader, const ReadOptions& options, const ParallelFor& parallel);

// coordinate, pattern/integer/real, general/symmetric, square.
EdgeList read_matrix_market(LineReader& reader, const ReadOptions& options,
                            const ParallelFor& parallel);

// "n m [fmt [ncon]]", then a line of neighbours for each vertex.
EdgeList read_metis(LineReader& reader, const ReadOptions& options, const ParallelFor& parallel);

// "p sp n m" with lines "a u v w", or "p edge n m" with lines "e u v" (undirected).
EdgeList read_dimacs(LineReader& reader, const ReadOptions& options, const ParallelFor& parallel);

// `vertices` lists the vertices, one a line; null: they are those that have edges.
EdgeList read_ldbc(LineReader* vertices, LineReader& edges, const ReadOptions& options,
                   const ParallelFor& parallel);

// The serialized graph of the GAP Benchmark Suite; `weighted`: with 32-bit integer weights.
EdgeList read_gap(Input input, bool weighted, const ReadOptions& options,
                  const ParallelFor& parallel);

}  // namespace grappa::graph::io
