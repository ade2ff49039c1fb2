#pragma once

// A piece of a text file, as blocks of columns.
//
//   const LoadPlan plan{format, options, types, are_given};
//   const LoadedPiece loaded = load_piece(plan, piece, piece.begin, all_columns);
//
// For one core; it keeps what is large on the heap.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "grappa/query/io/candidate_types.hpp"
#include "grappa/query/io/column_facts.hpp"
#include "grappa/query/io/line_format.hpp"
#include "grappa/query/io/text_format.hpp"
#include "grappa/query/io/text_pieces.hpp"
#include "grappa/query/table.hpp"

namespace grappa::query {

struct LoadPlan {
  TextFormat format;
  TextOptions options;
  std::vector<Type> types;
  std::vector<bool> are_given;  // the types
};

struct LoadedPiece {
  const char* begin = nullptr;
  const char* end = nullptr;
  std::size_t rows = 0;
  std::vector<Block> blocks;
  std::vector<PartialFacts> facts;  // [columns]
  /// Of a column with values that are not of its type: narrowed by them, and its values are not
  /// among the blocks. Of others as the format has them.
  std::vector<CandidateTypes> candidates;  // [columns]
  /// Of lines that are no CSV: what is not loaded, as the format has no such column.
  NewColumns new_columns;

  struct Problem {
    const char* position;
    std::string message;
  };
  std::optional<Problem> problem;  // the first of all

  void note(const char* position, std::string message) {
    if (!problem || position < problem->position) problem = {position, std::move(message)};
  }
};

/// From `begin`, only these columns.
LoadedPiece load_piece(const LoadPlan& plan, const TextPiece& piece, const char* begin,
                       const std::vector<bool>& columns);

}  // namespace grappa::query
