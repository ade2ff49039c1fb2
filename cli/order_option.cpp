#include "cli/order_option.hpp"

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

graph::VertexOrder OrderOption::order() const {
  if (name_ == "degree") return graph::VertexOrder::kByDegree;
  if (name_ == "random") return graph::VertexOrder::kRandom;
  return name_ == "striped" ? graph::VertexOrder::kStriped : graph::VertexOrder::kGiven;
}

}  // namespace grappa::cli
