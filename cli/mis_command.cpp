// grappa mis: a maximal independent set.

#include <memory>

#include "cli/vertex_kernel.hpp"
#include "grappa/graph/algorithms/independent_set/independent_set.hpp"

namespace grappa::cli {
namespace {

constexpr const char* kMisDescription =
    "A maximal independent set: vertices of which no two are joined by an edge, and to which none "
    "can be added. It is the one that a greedy algorithm finds in a pseudo-random order of the "
    "vertices, the same for any number of cores and locales; there may be larger ones. Edges are "
    "taken as undirected, self-loops are ignored.\n\n"
    "Value in -o: 1 for a vertex of the set, else 0.\n\n"
    "Greedy rounds (Blelloch, Fineman, Shun, SPAA 2012).";

class Mis final : public VertexKernel<&graph::IndependentSetResult::in_set> {
 public:
  Mis()
      : VertexKernel({.title = "independent set",
                      .description = kMisDescription,
                      .value = "in_set",
                      .build = {.symmetrize = true}}) {}

  void run(const KernelInput& in) override { result_ = graph::maximal_independent_set(in.graph); }

  graph::Verification verify(const KernelInput& in) override {
    return graph::verify(in.graph, result_);
  }

  void summarize(const KernelInput& in, double) override {
    in.report.line("In the set", "{} of {} vertices", fact("size", result_.size),
                   in.graph.vertex_count());
    in.report.set("rounds", result_.rounds);
  }

  Lines lines(const KernelInput& in) override { return integer_lines(in); }
};

}  // namespace

std::unique_ptr<Kernel> make_mis() { return std::make_unique<Mis>(); }

}  // namespace grappa::cli
