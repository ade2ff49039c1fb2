// Edge lists with commas or semicolons.
//
//   id,source,target,weight        optional; columns are then found by their names
//   7,"Smith, J.",Miller,2.5       otherwise source, target [, weight [, more ...]]

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "grappa/graph/io/internal/formats/columns.hpp"
#include "grappa/graph/io/internal/formats/edge_reader.hpp"
#include "grappa/graph/io/internal/formats/field_edges.hpp"
#include "grappa/graph/io/internal/formats/leading_comments.hpp"
#include "grappa/graph/io/internal/formats/readers.hpp"
#include "grappa/io/text/text_line.hpp"

namespace grappa::graph::io {
namespace {

char separator_of(std::string_view first_line) {
  const bool semicolons = first_line.find(',') == std::string_view::npos &&
                          first_line.find(';') != std::string_view::npos;
  return semicolons ? ';' : ',';
}

bool is_usual_order(const ColumnRoles& roles, bool weighted) {
  return roles.source == 0 && roles.target == 1 && (!weighted || roles.weight == 2);
}

void note_columns(const ColumnSample& sample, const ColumnRoles& roles, bool weighted,
                  EdgeList& list) {
  std::vector<int> used = {roles.source, roles.target};
  if (weighted) used.push_back(roles.weight);
  add_note(list, note_ignored_columns(sample, used));
  if (weighted && !sample.header.empty() && !roles.weight_is_named) {
    add_note(list, fmt::format("column {} is taken as the weight", roles.weight + 1));
  }
}

// Plain integers in the usual order go through the fast loop. It does not know quotes: a file whose
// first block has any is read the careful way.
bool may_be_plain(std::string_view text, const ColumnSample& sample, const ColumnRoles& roles,
                  bool weighted) {
  return !sample.string_names && is_usual_order(roles, weighted) &&
         text.find('"') == std::string_view::npos;
}

}  // namespace

EdgeList read_csv(LineReader& reader, const ReadOptions& options, const ParallelFor& parallel) {
  FieldRules fields{.separator = ',', .quotes = true, .comments = "#"};
  const LeadingComments comments = skip_leading_comments(reader, fields);
  const std::string_view start = reader.peek();
  fields.separator = separator_of(line_from(start.data(), start.data() + start.size()));
  const ColumnSample sample = sample_columns(start, fields);
  const ColumnRoles roles = column_roles(sample);
  const bool weighted = options.want_weights && roles.weight < sample.columns;
  // A weight that only later lines have would be lost.
  const bool more_columns = sample.columns > 2 || !options.want_weights;

  EdgeList list;
  list.directed = options.directed.value_or(!comments.undirected);
  if (sample.has_header) skip_header(reader, list);
  begin_part(reader, options);
  note_columns(sample, roles, weighted, list);

  if (may_be_plain(start, sample, roles, weighted)) {
    EdgeLineRules rules{.comments = fields.comments,
                        .columns = weighted ? 3 : 2,
                        .more_columns = more_columns,
                        .weighted = weighted,
                        .least_weight = options.least_weight,
                        .separator = fields.separator,
                        .max_line_bytes = reader.max_line_bytes()};
    read_raw_edges(reader, rules, options, parallel, list);
  } else {
    const FieldEdgeRules rules{
        fields, roles, weighted, options.least_weight, more_columns, sample.string_names};
    read_field_edges(reader, rules, options, parallel, list);
  }
  finish_edges(reader, options, list);
  return list;
}

}  // namespace grappa::graph::io
