#include "bench/graph_kernels.hpp"

#include <algorithm>
#include <limits>

#include "grappa/base/clock.hpp"
#include "grappa/base/error.hpp"
#include "grappa/graph/collect.hpp"
#include "grappa/graph/kernel/betweenness.hpp"
#include "grappa/graph/kernel/bfs.hpp"
#include "grappa/graph/kernel/connected_components.hpp"
#include "grappa/graph/kernel/pagerank.hpp"
#include "grappa/graph/kernel/sssp.hpp"
#include "grappa/graph/kernel/triangles.hpp"
#include "grappa/graph/verify/verify_betweenness.hpp"
#include "grappa/graph/verify/verify_bfs.hpp"
#include "grappa/graph/verify/verify_components.hpp"
#include "grappa/graph/verify/verify_pagerank.hpp"
#include "grappa/graph/verify/verify_sssp.hpp"
#include "grappa/graph/verify/verify_triangles.hpp"

namespace grappa::bench {
namespace {

using graph::Graph;
using graph::VertexId;

constexpr GraphKernelInfo kKernels[] = {
    {GraphKernel::kBfs, "bfs", "breadth-first search", true},
    {GraphKernel::kSssp, "sssp", "shortest paths", true},
    {GraphKernel::kPageRank20, "pagerank20", "PageRank, 20 iterations", false},
    {GraphKernel::kPageRank, "pagerank", "PageRank, tolerance 1e-4", false},
    {GraphKernel::kComponents, "cc", "connected components", false},
    {GraphKernel::kBetweenness, "bc", "betweenness, one source", true},
    {GraphKernel::kTriangles, "triangles", "triangles, total", false}};

constexpr std::int64_t kIterations = 20;
constexpr std::int64_t kMaxIterations = 1000;

/// As doubles, which hold them all exactly.
template <class T>
std::vector<double> as_doubles(const GlobalArray<T>& array, const Graph& graph) {
  const std::vector<T> all = graph::collect(array, graph.vertex_count());
  return {all.begin(), all.end()};
}

template <class Call, class Values, class Verify>
KernelRun timed(Wanted wanted, Call call, Values values_of, Verify verified) {
  KernelRun run;
  const std::uint64_t start = internal::now_ns();
  auto result = call();
  run.seconds = static_cast<double>(internal::now_ns() - start) * 1e-9;
  if (wanted == Wanted::kValues) run.values = values_of(result);
  if (wanted == Wanted::kVerification) run.verification = verified(result);
  return run;
}

KernelRun run_bfs(const Graph& graph, const KernelRequest& request) {
  return timed(
      request.result, [&] { return bfs(graph, request.source); },
      [&](const graph::BfsResult& result) {
        std::vector<double> depth = as_doubles(*result.depth, graph);
        std::ranges::replace(depth, static_cast<double>(graph::kUnreached),
                             std::numeric_limits<double>::infinity());
        return depth;
      },
      [&](const graph::BfsResult& result) { return verify(graph, request.source, result); });
}

KernelRun run_sssp(const Graph& graph, const KernelRequest& request) {
  return timed(
      request.result, [&] { return sssp(graph, request.source, {.delta = request.delta}); },
      [&](const graph::SsspResult& result) { return as_doubles(*result.distance, graph); },
      [&](const graph::SsspResult& result) { return verify(graph, request.source, result); });
}

KernelRun run_pagerank(const Graph& graph, const KernelRequest& request,
                       const graph::PageRankOptions& options) {
  return timed(
      request.result, [&] { return pagerank(graph, options); },
      [&](const graph::PageRankResult& result) { return as_doubles(*result.rank, graph); },
      [&](const graph::PageRankResult& result) { return verify(graph, options, result); });
}

KernelRun run_components(const Graph& graph, const KernelRequest& request) {
  return timed(
      request.result, [&] { return connected_components(graph); },
      [&](const graph::ComponentsResult& result) { return as_doubles(*result.label, graph); },
      [&](const graph::ComponentsResult& result) { return verify(graph, result); });
}

KernelRun run_betweenness(const Graph& graph, const KernelRequest& request) {
  const std::vector<VertexId> sources = {request.source};
  return timed(
      request.result, [&] { return betweenness(graph, sources); },
      [&](const graph::BetweennessResult& result) { return as_doubles(*result.score, graph); },
      [&](const graph::BetweennessResult& result) { return verify(graph, sources, result); });
}

KernelRun run_triangles(const Graph& graph, const KernelRequest& request) {
  return timed(
      request.result, [&] { return triangles(graph, {.per_vertex = false}); },
      [](const graph::TriangleResult& result) {
        return std::vector<double>{static_cast<double>(result.total)};
      },
      [&](const graph::TriangleResult& result) { return verify(graph, result); });
}

}  // namespace

std::span<const GraphKernelInfo> graph_kernels() { return kKernels; }

KernelRun run_kernel(const Graph& graph, GraphKernel kernel, const KernelRequest& request) {
  switch (kernel) {
    case GraphKernel::kBfs:
      return run_bfs(graph, request);
    case GraphKernel::kSssp:
      return run_sssp(graph, request);
    case GraphKernel::kPageRank20:
      return run_pagerank(
          graph, request,
          {.damping = kPageRankDamping, .tolerance = 0, .max_iterations = kIterations});
    case GraphKernel::kPageRank:
      return run_pagerank(graph, request,
                          {.damping = kPageRankDamping,
                           .tolerance = kPageRankTolerance,
                           .max_iterations = kMaxIterations});
    case GraphKernel::kComponents:
      return run_components(graph, request);
    case GraphKernel::kBetweenness:
      return run_betweenness(graph, request);
    case GraphKernel::kTriangles:
      return run_triangles(graph, request);
  }
  throw Error("bench kernels: no such kernel");
}

}  // namespace grappa::bench
