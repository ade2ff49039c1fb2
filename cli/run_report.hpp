#pragma once

// Who does the work: the cores and locales of a run, and each one's portion of a graph.
//
//   print_cores(report);                // at the start
//   print_portions(graph, report);      // once it is built; nothing on one locale
//
// Both are called by one task inside of a run. print_portions switches tasks.

#include "cli/report.hpp"
#include "grappa/graph/structure/graph.hpp"

namespace grappa::cli {

/// Facts: /cores and /locales.
void print_cores(Report& report);
void print_portions(const graph::Graph& graph, Report& report);

}  // namespace grappa::cli
