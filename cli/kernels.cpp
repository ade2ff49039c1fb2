#include "cli/kernels.hpp"

// A kernel is a line here: NAME, whose command is in NAME_command.cpp and made by make_NAME(), and
// its summary.
#define GRAPPA_KERNELS(KERNEL)                                               \
  KERNEL(bfs, "hops from a source along out-edges")                          \
  KERNEL(sssp, "shortest paths from a source, by the weights of edges")      \
  KERNEL(pagerank, "how often a random surfer visits each vertex")           \
  KERNEL(cc, "weakly connected components and their sizes")                  \
  KERNEL(triangles, "how many triangles there are, and of which vertices")   \
  KERNEL(lcc, "how close each vertex's neighbors are to knowing each other") \
  KERNEL(bc, "how many shortest paths pass through each vertex")             \
  KERNEL(cdlp, "communities, by the most frequent label among neighbors")    \
  KERNEL(mis, "a maximal set of vertices, no two of them neighbors")         \
  KERNEL(coloring, "colors such that neighbors differ")                      \
  KERNEL(kcore, "core numbers: how deep in the dense part each vertex is")   \
  KERNEL(ktruss, "truss numbers: how deep in the triangles each vertex is")  \
  KERNEL(msf, "the spanning forest of least weight")                         \
  KERNEL(degrees, "how many edges vertices have, and how unequally")

namespace grappa::cli {

#define GRAPPA_DECLARE(name, summary) std::unique_ptr<Kernel> make_##name();
GRAPPA_KERNELS(GRAPPA_DECLARE)

#define GRAPPA_ENTRY(name, summary) KernelEntry{#name, summary, make_##name},
std::span<const KernelEntry> kernels() {
  static constexpr KernelEntry kKernels[] = {GRAPPA_KERNELS(GRAPPA_ENTRY)};
  return kKernels;
}

}  // namespace grappa::cli
