#pragma once

// The option --order: how the vertices are numbered inside of the graph.

#include <string>

#include "cli/command_line.hpp"
#include "grappa/graph/build/build.hpp"

namespace grappa::cli {

/// UsageError for a name that is none of the option's.
graph::VertexOrder vertex_order_named(const std::string& name);

class OrderOption {
 public:
  void add_to(CommandLine& line);
  graph::VertexOrder order() const { return vertex_order_named(name_); }

 private:
  std::string name_ = "given";
};

}  // namespace grappa::cli
