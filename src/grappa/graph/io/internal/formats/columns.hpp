#pragma once

// What the columns of an edge list hold, found out from its first lines.
//
//   const ColumnSample sample = sample_columns("source,target\n7,8\n", {.separator = ','});
//   const ColumnRoles roles = column_roles(sample);          // 0, 1, 2

#include <string>
#include <string_view>
#include <vector>

#include "grappa/graph/io/internal/io_names.hpp"
#include "grappa/io/text/fields.hpp"

namespace grappa::graph::io {

/// What the first lines of an edge list show.
struct ColumnSample {
  int columns = 0;                  // of the first line with an edge
  bool string_names = false;        // vertices are called by strings, not integers
  bool has_header = false;          // the first line names the columns
  std::vector<std::string> header;  // those names, lower case; empty without a header
};

/// Looks at the first lines of `text`, comments left out. Names are strings if most lines, and the
/// first of them, have something else than numbers in their first two fields. A first line of words
/// is a header if numbers follow it, or if the words are usual for columns ("source", "target",
/// ...).
ColumnSample sample_columns(std::string_view text, const FieldRules& rules);

/// Which columns hold what; 0 is the first.
struct ColumnRoles {
  int source = 0;
  int target = 1;
  int weight = 2;
  bool weight_is_named = false;  // the header calls it a weight
};
ColumnRoles column_roles(const ColumnSample& sample);

/// "column 3 (color) is ignored", for all columns but `used`; empty if there are no others.
std::string note_ignored_columns(const ColumnSample& sample, const std::vector<int>& used);

}  // namespace grappa::graph::io
