// grappa triangles: how many there are, and of which vertices.

#include <memory>

#include "cli/vertex_kernel.hpp"
#include "grappa/graph/algorithms/triangles/triangles.hpp"

namespace grappa::cli {
namespace {

constexpr const char* kTrianglesDescription =
    "Triangles: sets of three vertices that are joined by three edges. Directions do not count, "
    "nor do self-loops and equal edges.\n\n"
    "A vertex with d neighbors has d(d - 1)/2 pairs of them, its wedges. The global clustering "
    "coefficient (transitivity) is 3 times the triangles divided by all wedges; the average "
    "clustering coefficient is the mean over all vertices of triangles divided by wedges, which "
    "is 0 where d is less than 2. `grappa lcc` has the coefficient of each vertex.\n\n"
    "Value in -o: the triangles that the vertex is part of.\n\n"
    "Edges lead from the end of lower degree to the other (Chiba, Nishizeki, SIAM J. Comput. "
    "1985); the neighbors of the vertices of highest degree are kept as bitmaps.";

class Triangles final : public VertexKernel<&graph::TriangleResult::count> {
 public:
  Triangles()
      : VertexKernel({.title = "triangles",
                      .description = kTrianglesDescription,
                      .value = "triangles",
                      .build = {.symmetrize = true, .simplify = true}}) {}

  void add_options(CommandLine& line) override {
    line.add_switch("Kernel", "--total", total_only_,
                    "count them all together and not for each vertex, which is faster");
  }
  void take_options(bool) override {
    if (total_only_) info_.why_no_lines = "--total counts no triangles of vertices";
  }

  void run(const KernelInput& in) override {
    result_ = graph::triangles(in.graph, {.per_vertex = !total_only_});
  }

  nlohmann::json trial_facts(double) const override { return {{"triangles", result_.total}}; }

  graph::Verification verify(const KernelInput& in) override {
    return graph::verify(in.graph, result_);
  }

  void summarize(const KernelInput& in, double) override {
    const graph::Clustering clustering = graph::clustering_of(in.graph, result_);
    in.report.line("Triangles", "{}", fact("triangles", result_.total));
    in.report.line("Global clustering", "{:.6g}, of {} wedges",
                   fact("global_clustering", clustering.global), fact("wedges", clustering.wedges));
    if (total_only_) return;
    in.report.line("Average clustering", "{:.6g}", fact("average_clustering", clustering.average));
    list_highest(in, "Triangles", "triangles");
  }

  Lines lines(const KernelInput& in) override { return integer_lines(in); }

 private:
  bool total_only_ = false;
};

}  // namespace

std::unique_ptr<Kernel> make_triangles() { return std::make_unique<Triangles>(); }

}  // namespace grappa::cli
