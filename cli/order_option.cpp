#include "cli/order_option.hpp"

#include "grappa/base/error.hpp"

namespace grappa::cli {

void OrderOption::add_to(CommandLine& line) {
  line.add_choice(
      "Graph", "--order", name_, {"given", "degree", "random", "striped"},
      "how vertices lie in memory: as their names ascend (given), those with most edges first "
      "(degree: faster where few have most of the edges), or at random, which spreads them "
      "evenly over locales, or with several locales in stripes (striped: for grids and maps, "
      "where neighbors have near names and the frontier of a search moves like a wave); names "
      "and answers stay the same, except where several answers are right");
}

graph::VertexOrder vertex_order_named(const std::string& name) {
  if (name == "given") return graph::VertexOrder::kGiven;
  if (name == "degree") return graph::VertexOrder::kByDegree;
  if (name == "random") return graph::VertexOrder::kRandom;
  if (name == "striped") return graph::VertexOrder::kStriped;
  throw UsageError("order " + name + ": given, degree, random or striped was expected");
}

}  // namespace grappa::cli
