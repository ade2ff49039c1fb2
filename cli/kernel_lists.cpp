#include "cli/kernel_lists.hpp"

#include <ranges>

#include "grappa/graph/structure/collect.hpp"

namespace grappa::cli {

void list_largest(const KernelInput& in, const std::vector<graph::Component>& sets,
                  const char* head, const char* name) {
  Table table(in.report, "largest", {{head}, {"Vertices"}});
  for (const graph::Component& set : sets | std::views::take(in.top))
    table.add(vertex_fact(name, in.names, set.label), fact("size", set.size));
  table.print();
}

Lines label_lines(const KernelInput& in, const GlobalArray<graph::VertexId>& label) {
  return vertex_lines(in, [&names = in.names, labels = graph::collect_vertices(label, in.graph)](
                              std::string& text, std::size_t v) { names.append(text, labels[v]); });
}

ResultColumns label_column(const KernelInput& in, const GlobalArray<graph::VertexId>& label,
                           const char* name) {
  ResultColumns made;
  made.push_back({name, graph::collect_vertices(label, in.graph), true});
  return made;
}

}  // namespace grappa::cli
