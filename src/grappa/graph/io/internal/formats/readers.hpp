#pragma once

// One reader a format: text or bytes in, edge list out. load_edge_list() chooses among them.
//
//   LineReader reader(Input::open("grid.mtx"), {});
//   EdgeList list = read_matrix_market(reader, {}, serial_for());
//
// Errors: InputError with file, line and what was expected there.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>

#include "grappa/graph/io/edge_list.hpp"
#include "grappa/graph/io/format.hpp"
#include "grappa/graph/io/internal/io_names.hpp"
#include "grappa/io/input.hpp"
#include "grappa/io/parallel_for.hpp"
#include "grappa/io/text/line_reader.hpp"
#include "grappa/io/text/parse_number.hpp"

namespace grappa::graph::io {

/// What can be checked only when all parts of a text have been read.
struct PartFacts {
  std::int64_t edges = 0;      // as the format counts them; in METIS, both ends
  std::int64_t last_line = 0;  // of the text that was read; where it might have to be said
  bool own_numbers = false;    // vertices are numbered for this part only
  std::int64_t surplus = 0;  // of arcs to larger over arcs to smaller vertices (in METIS, of their
                             // hashes), in formats that have both arcs of an edge
  std::int64_t rows = 0;     // lines of vertices, in METIS
  /// What a header has announced, if there is one:
  std::int64_t header_line = 0;
  std::int64_t announced = 0;
  std::string noun = {};            // "edge"
  std::int64_t announced_rows = 0;  // in METIS; else 0

  static constexpr auto kMembers =
      std::tuple(&PartFacts::edges, &PartFacts::last_line, &PartFacts::own_numbers,
                 &PartFacts::surplus, &PartFacts::rows, &PartFacts::header_line,
                 &PartFacts::announced, &PartFacts::noun, &PartFacts::announced_rows);
};

struct ReadOptions {
  std::optional<bool> directed = {};               // overrides what the file says, or does not say
  bool want_weights = false;                       // otherwise weights are not even looked at
  double least_weight = kLeastWeight;              // those below are refused
  std::size_t chunk_bytes = std::size_t{1} << 20;  // of text, for one task
  std::function<void(double fraction)> progress = {};  // called now and then on the calling thread
  /// Only this part of the text (or of the vertices of a .sg or .grappa) is read. The vertices are
  /// then numbered as if there were no other part, unless the format numbers them itself, and
  /// checks of the whole are left to check_whole(), which needs `facts`.
  int part = 0;
  int parts = 1;
  PartFacts* facts = nullptr;
};

/// Restricts the reader to the wanted part of what is left of the text.
void begin_part(LineReader& reader, const ReadOptions& options);

/// After the edges have been read: checks that there are any, or leaves that to check_whole().
void finish_edges(const LineReader& reader, const ReadOptions& options, const EdgeList& list);
/// The same, for formats whose header has announced what follows, or that have other sums.
void finish_part(const std::string& file, const ReadOptions& options, const PartFacts& facts);
void finish_announced(const LineReader& reader, const ReadOptions& options, std::int64_t edges,
                      std::int64_t header_line, std::int64_t announced, std::string_view noun);

/// InputError for what is wrong with a text of which all parts have been read. [parts]
void check_whole(const std::string& file, std::span<const PartFacts> parts);

/// kText, kBareText, kWeightedText or kTabs. Names are integers, or strings where the first lines
/// have them.
EdgeList read_text(LineReader& reader, Format format, const ReadOptions& options,
                   const ParallelFor& parallel);

/// Comma or semicolon between the columns, fields may be quoted, the first line may be a header.
EdgeList read_csv(LineReader& reader, const ReadOptions& options, const ParallelFor& parallel);

/// coordinate, pattern/integer/real, general/symmetric, square.
EdgeList read_matrix_market(LineReader& reader, const ReadOptions& options,
                            const ParallelFor& parallel);

/// "n m [fmt [ncon]]", then a line of neighbors for each vertex.
EdgeList read_metis(LineReader& reader, const ReadOptions& options, const ParallelFor& parallel);

/// "p sp n m" with lines "a u v w", or "p edge n m" with lines "e u v" (undirected).
EdgeList read_dimacs(LineReader& reader, const ReadOptions& options, const ParallelFor& parallel);

/// `vertices` lists the vertices, one a line; null: they are those that have edges.
EdgeList read_ldbc(LineReader* vertices, LineReader& edges, const ReadOptions& options,
                   const ParallelFor& parallel);

/// The serialized graph of the GAP Benchmark Suite; `weighted`: with 32-bit integer weights.
EdgeList read_gap(Input input, bool weighted, const ReadOptions& options,
                  const ParallelFor& parallel);

/// Our own format, turned back into edges.
EdgeList read_grappa(Input input, const ReadOptions& options, const ParallelFor& parallel);

}  // namespace grappa::graph::io
