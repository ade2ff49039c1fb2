#pragma once

// The headers of the formats that have one.
//
//   MatrixMarketHeader header = read_matrix_market_header(reader);
//
// Each takes the lines up to and with the last one of the header.
// Errors: InputError with the line and what should stand there.

#include <cstdint>

#include "grappa/graph/io/internal/io_names.hpp"
#include "grappa/io/text/line_reader.hpp"

namespace grappa::graph::io {

/// What all of them say.
struct GraphHeader {
  std::int64_t vertices = 0;
  std::int64_t edges = 0;  // lines of them that are announced; in METIS, each edge once
  std::int64_t line = 0;   // that has these numbers
};

struct MatrixMarketHeader : GraphHeader {
  bool has_values = false;    // integer or real, not pattern
  bool has_integers = false;  // integer
  bool undirected = false;    // symmetric
};
MatrixMarketHeader read_matrix_market_header(LineReader& reader);

struct MetisHeader : GraphHeader {
  bool has_edge_weights = false;
  int numbers_before = 0;  // vertex size and vertex weights in front of the neighbors
};
MetisHeader read_metis_header(LineReader& reader);

struct DimacsHeader : GraphHeader {
  bool undirected = false;  // lines begin with e, not a
};
DimacsHeader read_dimacs_header(LineReader& reader);

}  // namespace grappa::graph::io
