#pragma once

// Which vertex is meant: by its name, or by its degree.
//
//   graph::VertexId source = find_vertex("--source", "4711", graph, names);
//   BusiestVertex start = busiest_vertex(graph);      // inside of a run; switches tasks

#include <cstdint>
#include <string>
#include <string_view>

#include "cli/command_line.hpp"
#include "cli/kernel.hpp"
#include "grappa/graph/io/vertex_names.hpp"
#include "grappa/graph/structure/graph.hpp"

namespace grappa::cli {

/// Throws UsageError, naming the option and the names that there are, where there is no such
/// vertex.
graph::VertexId find_vertex(std::string_view option, const std::string& name,
                            const graph::Graph& graph, const graph::VertexNames& names);

/// What the file calls it.
std::string name_of(graph::VertexId vertex, const graph::Graph& graph,
                    const graph::VertexNames& names);

struct BusiestVertex {
  graph::VertexId vertex;
  std::int64_t degree;
};

/// The vertex with most out-edges, the first of several by their names. UsageError for a graph
/// without vertices.
BusiestVertex busiest_vertex(const graph::Graph& graph);

/// The option --source of kernels that start at one vertex.
class SourceOption {
 public:
  void add_to(CommandLine& line);
  /// The vertex that was asked for, else the busiest; says which. Fact: source.
  graph::VertexId choose(const KernelInput& in) const;

 private:
  std::string name_;
};

/// A vertex as a fact: its name, in JSON a number, or a string where names are strings. `given` is
/// the number of the vertex in the list of edges, which Graph::given() tells.
Fact<nlohmann::json, std::string> vertex_fact(std::string name, const graph::VertexNames& names,
                                              std::int64_t given);

}  // namespace grappa::cli
