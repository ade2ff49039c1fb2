#pragma once

// The graph kernels of the library as `bench kernels` runs them: one call, timed, and its result as
// one array of numbers, the same for every system that computes it.
//
//   KernelRun run =
//       run_kernel(graph, GraphKernel::kBfs, {.source = 17, .result = Wanted::kValues});
//   use(run.seconds, run.values);

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "grappa/graph/graph.hpp"
#include "grappa/graph/verify/verification.hpp"

namespace grappa::bench {

enum class GraphKernel {
  kBfs,
  kSssp,
  kPageRank20,  // 20 iterations, whatever the change
  kPageRank,    // until the sum of absolute changes is below kPageRankTolerance
  kComponents,
  kBetweenness,  // of one source
  kTriangles     // the number of all
};

inline constexpr double kPageRankDamping = 0.85;
inline constexpr double kPageRankTolerance = 1e-4;

struct GraphKernelInfo {
  GraphKernel kernel;
  std::string_view name;   // of --kernels, and in requests to baselines
  std::string_view title;  // for people
  bool from_source;        // and so one run for each source
};
std::span<const GraphKernelInfo> graph_kernels();

/// What to keep of a run besides its time.
enum class Wanted { kNothing, kValues, kVerification };

struct KernelRequest {
  graph::VertexId source = 0;  // of those that have one
  double delta = 0;            // of SSSP; 0: the library chooses
  Wanted result = Wanted::kNothing;
};

struct KernelRun {
  double seconds = 0;  // of the kernel's call alone
  /// One number a vertex: depth and distance (infinite where unreached), rank, smallest vertex of
  /// the component, dependency of the source halved. Of triangles one number in all.
  std::vector<double> values;
  graph::Verification verification;  // by the library's serial verifiers
};

/// Of an undirected simple graph. Called by one task; switches tasks.
KernelRun run_kernel(const graph::Graph& graph, GraphKernel kernel, const KernelRequest& request);

}  // namespace grappa::bench
