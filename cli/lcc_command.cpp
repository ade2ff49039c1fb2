// grappa lcc: local clustering coefficients.

#include <memory>

#include "cli/number_text.hpp"
#include "cli/vertex_kernel.hpp"
#include "grappa/graph/algorithms/local_clustering/local_clustering.hpp"

namespace grappa::cli {
namespace {

constexpr const char* kLccDescription =
    "Local clustering coefficient: how close the neighbors of each vertex are to knowing each "
    "other, as LDBC Graphalytics defines it.\n\n"
    "The neighborhood of a vertex is the set of the other vertices that an edge joins to it, in "
    "either direction. With d of them, the coefficient is the number of arcs between them divided "
    "by d(d - 1), and 0 if d is less than 2. An undirected edge is two arcs; equal edges count "
    "once, self-loops not at all.\n\n"
    "Value in -o: the coefficient, from 0 to 1.";

class LocalClustering final : public VertexKernel<&graph::LccResult::coefficient> {
 public:
  LocalClustering()
      : VertexKernel({.title = "local clustering",
                      .description = kLccDescription,
                      .value = "coefficient",
                      .build = {.in_edges = true, .simplify = true}}) {}

  void run(const KernelInput& in) override { result_ = graph::local_clustering(in.graph); }

  graph::Verification verify(const KernelInput& in) override {
    return graph::verify(in.graph, result_);
  }

  void summarize(const KernelInput& in, double) override {
    in.report.line("Average", "{:.6g}", fact("average", result_.average));
    list_highest(in, "Coefficient", "coefficient");
  }

  Lines lines(const KernelInput& in) override {
    return vertex_lines(in, [&coefficient = values(in)](std::string& text, std::size_t v) {
      append_number(text, coefficient[v]);
    });
  }
};

}  // namespace

std::unique_ptr<Kernel> make_lcc() { return std::make_unique<LocalClustering>(); }

}  // namespace grappa::cli
