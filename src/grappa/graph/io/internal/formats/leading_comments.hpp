#pragma once

// What precedes the edges of an edge list: comments, blank lines, a header.
//
//   LeadingComments comments = skip_leading_comments(reader, rules);
//   list.directed = !comments.undirected;

#include "grappa/graph/io/edge_list.hpp"
#include "grappa/graph/io/internal/formats/columns.hpp"
#include "grappa/graph/io/internal/io_names.hpp"
#include "grappa/io/text/line_reader.hpp"

namespace grappa::graph::io {

struct LeadingComments {
  bool undirected = false;  // SNAP's "# Undirected graph ..."
};

/// Takes the comments and blank lines at the start. InputError if the file turns out to be in
/// another format, or binary, or has nothing but comments.
LeadingComments skip_leading_comments(LineReader& reader, const FieldRules& rules);

/// Takes the line that names the columns, and notes that.
void skip_header(LineReader& reader, EdgeList& list);

}  // namespace grappa::graph::io
