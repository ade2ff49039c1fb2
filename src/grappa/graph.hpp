#pragma once

// The graph framework: graphs from files and generators, the kernels, and what algorithms of one's
// own are written with. docs/tutorial.md teaches it from chapter 15 on; everything is in namespace
// grappa::graph. A program that needs little of it includes the headers below that it uses, and
// compiles faster.

#include "grappa/grappa.hpp"
#include "grappa/io/output_file.hpp"
#include "grappa/io/parallel_for.hpp"
#include "grappa/io/runtime_parallel_for.hpp"

// The graph: what it is made of, and how it is built, read, generated, kept and written.
#include "grappa/graph/build/build.hpp"
#include "grappa/graph/checkpoint/checkpoint.hpp"
#include "grappa/graph/checkpoint/interval.hpp"
#include "grappa/graph/generate/generator.hpp"
#include "grappa/graph/io/edge_list.hpp"
#include "grappa/graph/io/format.hpp"
#include "grappa/graph/io/save.hpp"
#include "grappa/graph/io/vertex_names.hpp"
#include "grappa/graph/load/load.hpp"
#include "grappa/graph/load/load_parts.hpp"
#include "grappa/graph/structure/collect.hpp"
#include "grappa/graph/structure/graph.hpp"
#include "grappa/graph/structure/sample_vertices.hpp"
#include "grappa/graph/structure/vertex_id.hpp"
#include "grappa/graph/structure/weights.hpp"

// Algorithms, each with its verifier.
#include "grappa/graph/algorithms/betweenness/betweenness.hpp"
#include "grappa/graph/algorithms/bfs/bfs.hpp"
#include "grappa/graph/algorithms/coloring/coloring.hpp"
#include "grappa/graph/algorithms/connected_components/connected_components.hpp"
#include "grappa/graph/algorithms/core_numbers/core_numbers.hpp"
#include "grappa/graph/algorithms/degree_statistics/degree_statistics.hpp"
#include "grappa/graph/algorithms/independent_set/independent_set.hpp"
#include "grappa/graph/algorithms/label_propagation/label_propagation.hpp"
#include "grappa/graph/algorithms/local_clustering/local_clustering.hpp"
#include "grappa/graph/algorithms/pagerank/pagerank.hpp"
#include "grappa/graph/algorithms/spanning_forest/spanning_forest.hpp"
#include "grappa/graph/algorithms/sssp/shortest_path_tree.hpp"
#include "grappa/graph/algorithms/sssp/sssp.hpp"
#include "grappa/graph/algorithms/triangles/triangles.hpp"
#include "grappa/graph/algorithms/truss_numbers/truss_numbers.hpp"
#include "grappa/graph/algorithms/verification.hpp"

// What algorithms of one's own are written with.
#include "grappa/graph/framework/async_engine.hpp"
#include "grappa/graph/framework/edge_map.hpp"
#include "grappa/graph/framework/frontier.hpp"
#include "grappa/graph/framework/programs/belief_propagation.hpp"
#include "grappa/graph/framework/programs/matrix_factorization.hpp"
#include "grappa/graph/framework/programs/program_kernels.hpp"
#include "grappa/graph/framework/pull_engine.hpp"
#include "grappa/graph/framework/push_edges.hpp"
#include "grappa/graph/framework/run_program.hpp"
#include "grappa/graph/framework/sync_engine.hpp"
#include "grappa/graph/framework/vertex_map.hpp"
#include "grappa/graph/framework/vertex_program.hpp"
#include "grappa/graph/framework/vertex_view.hpp"
