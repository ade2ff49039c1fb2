#pragma once

// From vertices that every locale has numbered for itself to one numbering of all.
//
//   merge_names(list, "web.txt");      // the parts of `list` have their own names and numbers
//
// The names of all parts are merged as in a sample sort (W. Frazer, A. McKellar, "Samplesort", J.
// ACM 17(3), 1970): samples of the sorted names divide them into as many ranges as there are
// locales; the owner of a range merges the parts' names in it, and answers with the place of each
// name in the order of all. So the numbers do not depend on the parts, and no locale but that of
// the caller, which keeps the names, needs room for more than its own names and those of its range.
// If the names of all parts are one range of integers, nothing is sent. Errors: InputError, naming
// `file`, when there are more than kMaxVertices.

#include <string>

#include "grappa/graph/build/internal/edge_parts.hpp"

namespace grappa::graph {

/// Before, the edges of each part join that part's own vertices 0 … n-1, whose names are
/// part.names; afterwards they join those of the whole, and list.names and list.vertex_count are
/// set. Switches tasks.
void merge_names(EdgeParts& list, const std::string& file);

}  // namespace grappa::graph
