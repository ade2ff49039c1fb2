#include "cli/vertex_choice.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "grappa/base/error.hpp"
#include "grappa/grappa.hpp"

namespace grappa::cli {

graph::VertexId find_vertex(std::string_view option, const std::string& name,
                            const graph::Graph& graph, const graph::VertexNames& names) {
  if (const auto given = names.find(std::string_view(name))) return graph.vertex(*given);
  if (names.size() == 0)
    throw UsageError(fmt::format("{} {}: the graph has no vertices", option, name));
  throw UsageError(fmt::format("{} {}: the graph has no such vertex; its {} vertices are {} to {}",
                               option, name, names.size(), names.name(0),
                               names.name(static_cast<graph::VertexId>(names.size() - 1))));
}

std::string name_of(graph::VertexId vertex, const graph::Graph& graph,
                    const graph::VertexNames& names) {
  return names.name(graph.given(vertex));
}

BusiestVertex busiest_vertex(const graph::Graph& graph) {
  if (graph.vertex_count() == 0) throw UsageError("the graph has no vertices");
  const auto busier = [graph](const BusiestVertex& a, const BusiestVertex& b) {
    if (a.degree != b.degree) return b.degree > a.degree ? b : a;
    return graph.given(b.vertex) < graph.given(a.vertex) ? b : a;
  };
  const auto mine = [graph, busier] {
    const graph::Adjacency out = graph.out();
    const std::int64_t first = this_core() * graph.vertices_per_core();
    const std::int64_t last = std::min(graph.vertex_count(), first + graph.vertices_per_core());
    BusiestVertex best{0, -1};
    for (std::int64_t v = first; v < last; ++v) {
      best = busier(best, {static_cast<graph::VertexId>(v), out.degree(v)});
    }
    return best;
  };
  return reduce_cores(mine, BusiestVertex{0, -1}, busier);
}

void SourceOption::add_to(CommandLine& line) {
  line.add_text("Kernel", "--source", "V", name_,
                "the vertex to start at, by its name in the file [the one with most out-edges]");
}

graph::VertexId SourceOption::choose(const KernelInput& in) const {
  if (in.source) return *in.source;
  if (!name_.empty()) {
    const graph::VertexId source = find_vertex("--source", name_, in.graph, in.names);
    in.report.line("Source", "{}", vertex_fact("source", in.names, in.graph.given(source)));
    return source;
  }
  const BusiestVertex busiest = busiest_vertex(in.graph);
  in.report.line("Source", "{}, which has most out-edges: {} (--source V chooses)",
                 vertex_fact("source", in.names, in.graph.given(busiest.vertex)), busiest.degree);
  return busiest.vertex;
}

Fact<nlohmann::json, std::string> vertex_fact(std::string name, const graph::VertexNames& names,
                                              std::int64_t given) {
  const auto id = static_cast<graph::VertexId>(given);
  if (names.is_integer()) return {std::move(name), names.integer(id), names.name(id)};
  return {std::move(name), names.name(id), names.name(id)};
}

}  // namespace grappa::cli
