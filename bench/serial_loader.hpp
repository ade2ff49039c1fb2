#pragma once

// What most graph programs begin with: a file read number by number, and rows made of it, by one
// core. The baseline of `bench load`.

#include <cstdint>
#include <string>
#include <vector>

#include "grappa/graph/io/edge_list.hpp"

namespace grappa::bench {

/// Two numbers a line, and comments only in front of them. Error where there is anything else.
std::vector<graph::Edge> read_serially(const std::string& path);

/// Compressed sparse rows, ascending.
struct SerialRows {
  std::vector<std::uint64_t> offsets;  // [vertices + 1]
  std::vector<graph::VertexId> targets;
};

/// The vertices are the numbers up to the largest one; an undirected edge is in both rows.
SerialRows build_serially(const std::vector<graph::Edge>& edges, bool directed);

}  // namespace grappa::bench
