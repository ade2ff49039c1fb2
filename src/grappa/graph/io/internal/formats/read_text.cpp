// Edge lists with blanks or tabs: SNAP's .txt, .el, .wel; .tsv, with exactly one tab.
//
//   # Undirected graph: ...        comments begin with # or %; this one is honored
//   30    1412                     source target [weight [more ...]]
//   30    3352   0.5

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <utility>

#include "grappa/graph/io/internal/formats/columns.hpp"
#include "grappa/graph/io/internal/formats/edge_reader.hpp"
#include "grappa/graph/io/internal/formats/field_edges.hpp"
#include "grappa/graph/io/internal/formats/leading_comments.hpp"
#include "grappa/graph/io/internal/formats/readers.hpp"
#include "grappa/io/text/text_line.hpp"

namespace grappa::graph::io {
namespace {

constexpr int kWeightColumn = 2;

std::string note_of_columns(const ColumnSample& sample, Format format, bool weighted) {
  std::vector<int> used = {0, 1};
  // In a .wel the third column is known to be a weight: no note.
  if (weighted || format == Format::kWeightedText) used.push_back(kWeightColumn);
  return note_ignored_columns(sample, used);
}

}  // namespace

EdgeList read_text(LineReader& reader, Format format, const ReadOptions& options,
                   const ParallelFor& parallel) {
  const FieldRules blanks;
  const LeadingComments comments = skip_leading_comments(reader, blanks);
  FieldRules fields = blanks;
  ColumnSample sample = sample_columns(reader.peek(), fields);
  if (format == Format::kTabs) {
    // Where there are tabs, each of them divides two columns, so that one may be empty.
    const FieldRules tabs{.separator = '\t'};
    ColumnSample divided = sample_columns(reader.peek(), tabs);
    if (divided.columns > 1 || sample.string_names) {
      fields = tabs;
      sample = std::move(divided);
    }
  }
  const bool bare = format == Format::kBareText;
  const bool weighted = options.want_weights && !bare &&
                        (sample.columns > kWeightColumn || format == Format::kWeightedText);

  // A weight that only later lines have would be lost.
  const bool more_columns = !bare && (weighted || !options.want_weights);

  EdgeList list;
  list.directed = options.directed.value_or(!comments.undirected);
  if (sample.has_header) skip_header(reader, list);
  begin_part(reader, options);
  add_note(list, note_of_columns(sample, format, weighted));

  if (sample.string_names) {
    FieldEdgeRules rules{.fields = fields,
                         .weighted = weighted,
                         .least_weight = options.least_weight,
                         .more_columns = more_columns,
                         .string_names = true};
    read_field_edges(reader, rules, options, parallel, list);
  } else {
    EdgeLineRules rules{.more_columns = more_columns,
                        .weighted = weighted,
                        .least_weight = options.least_weight,
                        .separator = fields.separator,
                        .max_line_bytes = reader.max_line_bytes()};
    rules.columns = weighted || format == Format::kWeightedText ? 3 : 2;
    read_raw_edges(reader, rules, options, parallel, list);
  }
  finish_edges(reader, options, list);
  return list;
}

}  // namespace grappa::graph::io
