#pragma once

// The lists that summaries of kernels end with: printed as a table, of as many lines as --top says,
// and returned for --json.
//
//   result["top"] = list_highest(in, ranks, "Rank", "rank");

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <type_traits>
#include <vector>

#include "cli/highest.hpp"
#include "cli/kernel.hpp"
#include "cli/vertex_choice.hpp"
#include "grappa/graph/kernel/connected_components.hpp"

namespace grappa::cli {

/// The vertices with the highest values, which are `head` to people and `key` to programs.
template <class T>
nlohmann::json list_highest(const KernelInput& in, const std::vector<T>& values, const char* head,
                            const char* key) {
  nlohmann::json list = nlohmann::json::array();
  std::vector<std::vector<std::string>> rows;
  for (const std::int64_t v : highest(values, in.top)) {
    const T value = values[static_cast<std::size_t>(v)];
    rows.push_back({in.names.name(static_cast<graph::VertexId>(v)),
                    fmt::format(std::is_floating_point_v<T> ? "{:.6g}" : "{}", value)});
    list.push_back({{"vertex", json_name(in.names, v)}, {key, value}});
  }
  in.report.table({"Vertex", head}, rows);
  return list;
}

/// The largest sets of vertices, whose labels are `head` to people and `key` to programs.
nlohmann::json list_largest(const KernelInput& in, const std::vector<graph::Component>& sets,
                            const char* head, const char* key);

/// The lines of -o where the value is the label, a vertex.
Lines label_lines(const KernelInput& in, const GlobalArray<graph::VertexId>& label);

}  // namespace grappa::cli
