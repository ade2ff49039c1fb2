#pragma once

// Edge lines read field by field: when names are strings, fields are quoted, or the columns are in
// an unusual order. Some ten times slower than EdgeLineRules, and just as parallel.
//
//   read_field_edges(reader, rules, options, parallel, list);
//
// Errors: InputError for the first line in the text that is not an edge. Names must be UTF-8.

#include "grappa/graph/io/edge_list.hpp"
#include "grappa/graph/io/internal/formats/columns.hpp"
#include "grappa/graph/io/internal/formats/readers.hpp"
#include "grappa/graph/io/internal/io_names.hpp"
#include "grappa/io/text/parse_number.hpp"

namespace grappa::graph::io {

struct FieldEdgeRules {
  FieldRules fields = {};
  ColumnRoles roles = {};
  bool weighted = false;  // the weight column is wanted
  double least_weight = kLeastWeight;
  bool more_columns = true;   // whether further ones are allowed (and ignored)
  bool string_names = false;  // else integers
};

/// The rest of the text. Sets edges, weights, names and vertex_count.
void read_field_edges(LineReader& reader, const FieldEdgeRules& rules, const ReadOptions& options,
                      const ParallelFor& parallel, EdgeList& list);

}  // namespace grappa::graph::io
