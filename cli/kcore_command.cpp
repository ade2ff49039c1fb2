// grappa kcore: core numbers.

#include <fmt/format.h>

#include <memory>
#include <vector>

#include "cli/vertex_kernel.hpp"
#include "grappa/graph/algorithms/core_numbers/core_numbers.hpp"

namespace grappa::cli {
namespace {

constexpr const char* kKCoreDescription =
    "Core numbers: the k-core is the largest set of vertices of which each has at least k "
    "neighbors in the set, and the core number of a vertex is the greatest k of a k-core that it "
    "is in. The greatest of all is the degeneracy of the graph. Edges are taken as undirected; "
    "self-loops are left out, and equal edges count as one.\n\n"
    "Value in -o: the core number; 0 for a vertex without neighbors.\n\n"
    "Peeling in parallel (Kabir and Madduri, \"Parallel k-core decomposition on multicore "
    "platforms\", IPDPS Workshops 2017).";

class KCore final : public VertexKernel<&graph::CoreNumbersResult::core> {
 public:
  KCore()
      : VertexKernel({.title = "core numbers",
                      .description = kKCoreDescription,
                      .value = "core",
                      .build = {.symmetrize = true, .simplify = true}}) {}

  void run(const KernelInput& in) override { result_ = graph::core_numbers(in.graph); }

  graph::Verification verify(const KernelInput& in) override {
    return graph::verify(in.graph, result_);
  }

  void summarize(const KernelInput& in, double) override {
    in.report.line("Degeneracy", "{}, the greatest core number",
                   fact("degeneracy", result_.degeneracy));
    in.report.line("Innermost core", "{} of {} vertices", fact("innermost", result_.innermost),
                   in.graph.vertex_count());
    list_cores(in);
  }

  Lines lines(const KernelInput& in) override { return integer_lines(in); }

 private:
  // The cores from the innermost on, of those k that some vertex has as its core number.
  void list_cores(const KernelInput& in) {
    std::vector<std::int64_t> count(static_cast<std::size_t>(result_.degeneracy) + 1);
    for (const graph::CoreNumber k : values(in)) ++count[k];
    Table table(in.report, "cores", {{"Core number"}, {"Vertices"}, {"In the core"}});
    std::int64_t inside = 0;
    std::int64_t left = in.top;
    for (std::size_t k = count.size(); k-- > 0 && left > 0;) {
      if (count[k] == 0) continue;
      --left;
      inside += count[k];
      table.add(fact("core", k), fact("vertices", count[k]), fact("vertices_in_core", inside));
    }
    table.print();
  }
};

}  // namespace

std::unique_ptr<Kernel> make_kcore() { return std::make_unique<KCore>(); }

}  // namespace grappa::cli
