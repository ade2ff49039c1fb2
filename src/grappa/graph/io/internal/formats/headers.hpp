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

struct MatrixMarketHeader {
  std::int64_t vertices = 0;
  std::int64_t entries = 0;
  bool has_values = false;    // integer or real, not pattern
  bool has_integers = false;  // integer
  bool symmetric = false;
  std::int64_t line = 0;  // of the sizes
};
MatrixMarketHeader read_matrix_market_header(LineReader& reader);

struct MetisHeader {
  std::int64_t vertices = 0;
  std::int64_t edges = 0;  // each undirected one once
  bool has_edge_weights = false;
  int numbers_before = 0;  // vertex size and vertex weights in front of the neighbors
  std::int64_t line = 0;
};
MetisHeader read_metis_header(LineReader& reader);

struct DimacsHeader {
  std::int64_t vertices = 0;
  std::int64_t lines = 0;   // arcs or edges announced
  bool undirected = false;  // lines begin with e, not a
  std::int64_t line = 0;
};
DimacsHeader read_dimacs_header(LineReader& reader);

}  // namespace grappa::graph::io
