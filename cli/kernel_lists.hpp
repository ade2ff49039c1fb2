#pragma once

// The lists that summaries of kernels end with: tables of as many rows as --top says.
//
//   list_highest(in, ranks, "Rank", "rank");                // the fact `top`

#include <type_traits>
#include <vector>

#include "cli/highest.hpp"
#include "cli/kernel.hpp"
#include "cli/vertex_choice.hpp"
#include "grappa/graph/algorithms/connected_components/connected_components.hpp"

namespace grappa::cli {

/// The vertices with the highest values, which are `head` to people and `name` to programs.
template <class T>
void list_highest(const KernelInput& in, const std::vector<T>& values, const char* head,
                  const char* name) {
  Table table(in.report, "top",
              {{"Vertex"}, {head, std::is_floating_point_v<T> ? "{:.6g}" : "{}"}});
  for (const std::int64_t v : highest(values, in.top))
    table.add(vertex_fact("vertex", in.names, v), fact(name, values[static_cast<std::size_t>(v)]));
  table.print();
}

/// The largest sets of vertices, whose labels are `head` to people and `name` to programs: the fact
/// `largest`.
void list_largest(const KernelInput& in, const std::vector<graph::Component>& sets,
                  const char* head, const char* name);

/// The lines of -o where the value is the label, a vertex.
Lines label_lines(const KernelInput& in, const GlobalArray<graph::VertexId>& label);
/// The column of it, which has this name.
ResultColumns label_column(const KernelInput& in, const GlobalArray<graph::VertexId>& label,
                           const char* name);

}  // namespace grappa::cli
