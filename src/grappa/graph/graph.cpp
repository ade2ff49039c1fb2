#include "grappa/graph/graph.hpp"

namespace grappa::graph {
namespace {

void destroy_rows(GraphRows& rows) {
  rows.offsets.destroy();
  rows.targets.destroy();
}

}  // namespace

void Graph::destroy() {
  destroy_rows(out_);
  if (has_in_rows_) destroy_rows(in_);
  *this = Graph();
}

}  // namespace grappa::graph
