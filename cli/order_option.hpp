#pragma once

// The option --order: how the vertices are numbered inside of the graph.

#include <string>

#include "cli/command_line.hpp"
#include "grappa/graph/build/build.hpp"

namespace grappa::cli {

class OrderOption {
 public:
  void add_to(CommandLine& line);
  graph::VertexOrder order() const;

 private:
  std::string name_ = "given";
};

}  // namespace grappa::cli
