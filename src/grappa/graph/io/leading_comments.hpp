#pragma once

// What stands in front of the edges of an edge list.
//
//   LeadingComments comments = skip_leading_comments(reader, rules);
//   list.directed = !comments.undirected;

#include "grappa/graph/io/edge_list.hpp"
#include "grappa/graph/io/fields.hpp"
#include "grappa/graph/io/line_reader.hpp"

namespace grappa::graph::io {

struct LeadingComments {
  bool undirected = false;  // SNAP's "# Undirected graph ..."
};

// Takes the comments and blank lines at the start. InputError where the file shows itself to be
// another format, or binary, or has nothing else than comments.
LeadingComments skip_leading_comments(LineReader& reader, const FieldRules& rules);

// Takes the line that names the columns, and notes that.
void skip_header(LineReader& reader, EdgeList& list);

}  // namespace grappa::graph::io
