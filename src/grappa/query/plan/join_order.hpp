#pragma once

// The joins of a cluster in the order that costs least: by dynamic programming over all orders
// without products, greedily where these are too many. The smaller side is the right one, which is
// kept in the hash table.

#include "grappa/query/plan/join_graph.hpp"
#include "grappa/query/plan/relation.hpp"

namespace grappa::query {

RelationPtr best_order(const JoinGraph& graph);

}  // namespace grappa::query
