#include "bench/serial_loader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <numeric>

#include "grappa/base/error.hpp"

namespace grappa::bench {

using graph::Edge;

std::vector<Edge> read_serially(const std::string& path) {
  std::ifstream in(path);
  while (in.peek() == '#') in.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  std::vector<Edge> edges;
  Edge edge{};
  while (in >> edge.source >> edge.target) edges.push_back(edge);
  if (!in.eof())
    throw Error(fmt::format("{}: after {} edges comes something else than two numbers a line", path,
                            edges.size()));
  return edges;
}

SerialRows build_serially(const std::vector<Edge>& edges, bool directed) {
  graph::VertexId largest = 0;
  for (const Edge& edge : edges) largest = std::max({largest, edge.source, edge.target});
  const auto is_arc_back = [&](const Edge& edge) {
    return !directed && edge.source != edge.target;
  };
  SerialRows rows;
  rows.offsets.assign(edges.empty() ? 1 : static_cast<std::size_t>(largest) + 2, 0);
  for (const Edge& edge : edges) {
    ++rows.offsets[edge.source + 1];
    if (is_arc_back(edge)) ++rows.offsets[edge.target + 1];
  }
  std::partial_sum(rows.offsets.begin(), rows.offsets.end(), rows.offsets.begin());
  rows.targets.resize(rows.offsets.back());
  std::vector<std::uint64_t> next(rows.offsets.begin(), rows.offsets.end());
  for (const Edge& edge : edges) {
    rows.targets[next[edge.source]++] = edge.target;
    if (is_arc_back(edge)) rows.targets[next[edge.target]++] = edge.source;
  }
  for (std::size_t v = 0; v + 1 < rows.offsets.size(); ++v) {
    std::sort(rows.targets.begin() + static_cast<std::ptrdiff_t>(rows.offsets[v]),
              rows.targets.begin() + static_cast<std::ptrdiff_t>(rows.offsets[v + 1]));
  }
  return rows;
}

}  // namespace grappa::bench
