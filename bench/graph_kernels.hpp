#pragma once

// The kernels of the tool's table (cli/kernels.hpp) as `bench kernels` runs them: the command, with
// options, on a graph that is there already; and its result as one array of numbers, the same for
// every system that computes it.
//
//   for (const MeasuredKernel& kernel : measured_kernels()) {
//     PreparedKernel prepared(kernel, graph, source);
//     const double seconds = prepared.run();
//     use(prepared.values());
//   }

#include <memory>
#include <string>
#include <vector>

#include "cli/kernels.hpp"
#include "grappa/graph/algorithms/verification.hpp"
#include "grappa/graph/structure/graph.hpp"

namespace grappa::bench {

inline constexpr double kPageRankDamping = 0.85;
inline constexpr double kPageRankTolerance = 1e-4;

struct MeasuredKernel {
  std::string name;   // of --kernels, and in requests to baselines
  std::string title;  // for people
  const cli::KernelEntry* entry;
  cli::KernelInfo info;
  cli::Arguments options;  // of the command
};
/// Every kernel of the table once, PageRank twice.
std::vector<MeasuredKernel> measured_kernels();

/// A kernel that is ready to run, from `source` if it starts at a vertex, on an undirected simple
/// graph. Used by one task; switches tasks.
class PreparedKernel {
 public:
  PreparedKernel(const MeasuredKernel& kernel, const graph::Graph& graph, graph::VertexId source);

  /// Returns the seconds of the kernel's call alone.
  double run();
  /// Frees the result of the run.
  void discard() { kernel_->discard(); }
  /// What it left, by the library's serial verifier.
  graph::Verification verify() { return kernel_->verify(in_); }
  /// The same as numbers, those that -o writes: one a vertex. Of triangles one number in all.
  std::vector<double> values();

 private:
  std::string name_;
  std::unique_ptr<cli::Kernel> kernel_;
  cli::Report report_{true, true};
  const graph::VertexNames names_;
  const graph::Graph graph_;
  const cli::KernelInput in_;
};

}  // namespace grappa::bench
