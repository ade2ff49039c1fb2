#pragma once

// One writer a format; save_edge_list() chooses among them.
//
// Each writes all of `list` to `out` and returns a note on what the format could not hold, or
// nothing. None commits. Errors: UsageError where the list cannot be written in the format.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <string>

#include "grappa/graph/io/edge_list.hpp"
#include "grappa/graph/io/format.hpp"
#include "grappa/graph/io/internal/io_names.hpp"
#include "grappa/io/output_file.hpp"
#include "grappa/io/parallel_for.hpp"

namespace grappa::graph::io {

std::string write_text(const EdgeList& list, Format format, OutputFile& out,
                       const ParallelFor& parallel);
std::string write_csv(const EdgeList& list, OutputFile& out, const ParallelFor& parallel);
std::string write_matrix_market(const EdgeList& list, OutputFile& out, const ParallelFor& parallel);
std::string write_metis(const EdgeList& list, OutputFile& out, const ParallelFor& parallel);
std::string write_dimacs(const EdgeList& list, OutputFile& out, const ParallelFor& parallel);
std::string write_ldbc(const EdgeList& list, OutputFile& vertices, OutputFile& edges,
                       const ParallelFor& parallel);
std::string write_gap(const EdgeList& list, bool weighted, OutputFile& out,
                      const ParallelFor& parallel);
std::string write_grappa(const EdgeList& list, OutputFile& out, const ParallelFor& parallel);

/// Writes format(0), format(1), ... format(n - 1), each of which appends its line to a buffer; they
/// are called in ranges, in parallel, and written in order.
void write_lines(OutputFile& out, std::int64_t n, const ParallelFor& parallel,
                 const std::function<void(std::string& buffer, std::int64_t i)>& format);

/// Appends the shortest text that reads back as the same number.
void append_weight(std::string& buffer, double weight);

/// That of an edge; 1 if there are no weights.
inline void append_weight_of(std::string& buffer, const EdgeList& list, std::size_t edge) {
  if (list.weights.empty()) {
    buffer += '1';
  } else {
    append_weight(buffer, list.weights[edge]);
  }
}

/// A line for each edge: its ends, which append_ends(buffer, edge) appends, and if `weighted`
/// behind a separator its weight.
template <class AppendEnds>
void write_edge_lines(OutputFile& out, const EdgeList& list, char separator, bool weighted,
                      const ParallelFor& parallel, const AppendEnds& append_ends) {
  write_lines(out, std::ssize(list.edges), parallel, [&](std::string& buffer, std::int64_t i) {
    const auto index = static_cast<std::size_t>(i);
    append_ends(buffer, list.edges[index]);
    if (weighted) {
      buffer += separator;
      append_weight_of(buffer, list, index);
    }
    buffer += '\n';
  });
}

/// "vertices are renumbered 1 ... 5", if their names are not just that.
std::string note_renumbered(const EdgeList& list, std::uint64_t first);

/// "3 vertices without edges are left out", if there are any.
std::string note_isolated(const EdgeList& list);

/// Both notes, or the one that is not empty.
std::string join_notes(const std::string& first, const std::string& second);

/// UsageError unless all weights are integers from `least` to `most`.
void check_integer_weights(const EdgeList& list, double least, double most,
                           const std::string& path);

}  // namespace grappa::graph::io
