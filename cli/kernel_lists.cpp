#include "cli/kernel_lists.hpp"

#include <algorithm>
#include <span>

#include "grappa/graph/collect.hpp"

namespace grappa::cli {

nlohmann::json list_largest(const KernelInput& in, const std::vector<graph::Component>& sets,
                            const char* head, const char* key) {
  nlohmann::json list = nlohmann::json::array();
  std::vector<std::vector<std::string>> rows;
  const auto count = static_cast<std::size_t>(std::min(in.top, std::ssize(sets)));
  for (const graph::Component& set : std::span(sets).first(count)) {
    rows.push_back({in.names.name(set.label), fmt::format("{}", set.size)});
    list.push_back({{key, json_name(in.names, set.label)}, {"size", set.size}});
  }
  if (!rows.empty()) in.report.table({head, "Vertices"}, rows);
  return list;
}

Lines label_lines(const KernelInput& in, const GlobalArray<graph::VertexId>& label) {
  return vertex_lines(in, [&names = in.names, labels = graph::collect_vertices(label, in.graph)](
                              std::string& text, std::size_t v) { names.append(text, labels[v]); });
}

}  // namespace grappa::cli
