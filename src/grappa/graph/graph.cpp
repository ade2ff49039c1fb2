#include "grappa/graph/graph.hpp"

namespace grappa::graph {
namespace {

void destroy_rows(GraphRows& rows, WeightType weight_type) {
  rows.offsets.destroy();
  rows.targets.destroy();
  if (weight_type != WeightType::kNone) rows.weights.destroy();
}

}  // namespace

void Graph::destroy() {
  destroy_rows(out_, weight_type_);
  if (has_in_rows_) destroy_rows(in_, weight_type_);
  *this = Graph();
}

}  // namespace grappa::graph
