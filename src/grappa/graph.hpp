#pragma once

// The graph framework: graphs from files and generators, the kernels, and what algorithms of one's
// own are written with. docs/tutorial.md teaches it from chapter 15 on; everything is in namespace
// grappa::graph. A program that needs little of it includes the headers below that it uses, and
// compiles faster.

#include "grappa/grappa.hpp"

// From files and generators to a graph, and back to files.
#include "grappa/graph/build.hpp"
#include "grappa/graph/checkpoint/checkpoint.hpp"
#include "grappa/graph/collect.hpp"
#include "grappa/graph/distributed/load_parts.hpp"
#include "grappa/graph/generate/generator.hpp"
#include "grappa/graph/graph.hpp"
#include "grappa/graph/io/load.hpp"
#include "grappa/graph/io/output_file.hpp"
#include "grappa/graph/io/save.hpp"
#include "grappa/graph/push_edges.hpp"
#include "grappa/graph/runtime_parallel_for.hpp"

// Kernels.
#include "grappa/graph/kernel/betweenness.hpp"
#include "grappa/graph/kernel/bfs.hpp"
#include "grappa/graph/kernel/coloring.hpp"
#include "grappa/graph/kernel/connected_components.hpp"
#include "grappa/graph/kernel/core_numbers.hpp"
#include "grappa/graph/kernel/degree_statistics.hpp"
#include "grappa/graph/kernel/independent_set.hpp"
#include "grappa/graph/kernel/label_propagation.hpp"
#include "grappa/graph/kernel/local_clustering.hpp"
#include "grappa/graph/kernel/pagerank.hpp"
#include "grappa/graph/kernel/shortest_path_tree.hpp"
#include "grappa/graph/kernel/spanning_forest.hpp"
#include "grappa/graph/kernel/sssp.hpp"
#include "grappa/graph/kernel/triangles.hpp"

// Sets of vertices and vertex programs.
#include "grappa/graph/frontier/edge_map.hpp"
#include "grappa/graph/frontier/vertex_map.hpp"
#include "grappa/graph/program/belief_propagation.hpp"
#include "grappa/graph/program/matrix_factorization.hpp"
#include "grappa/graph/program/program_kernels.hpp"
#include "grappa/graph/program/pull_engine.hpp"
#include "grappa/graph/program/run_program.hpp"
