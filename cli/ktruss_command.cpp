// grappa ktruss: truss numbers.

#include <memory>
#include <ranges>

#include "cli/vertex_kernel.hpp"
#include "grappa/graph/algorithms/truss_numbers/truss_numbers.hpp"

namespace grappa::cli {
namespace {

constexpr const char* kKTrussDescription =
    "Truss numbers: the k-truss is the largest set of edges of which each is in at least k - 2 "
    "triangles of edges of the set, and the truss number of an edge is the greatest k of a k-truss "
    "that it is in. That of a vertex is the greatest of its edges. Edges are taken as undirected; "
    "self-loops are left out, and equal edges count as one.\n\n"
    "Value in -o: the truss number; 0 for a vertex without neighbors.\n\n"
    "Trusses: Cohen, \"Trusses: Cohesive subgraphs for social network analysis\", 2008; peeling in "
    "parallel: Kabir and Madduri, \"Shared-memory graph truss decomposition\", HiPC 2017.";

class KTruss final : public VertexKernel<&graph::TrussNumbersResult::truss> {
 public:
  KTruss()
      : VertexKernel({.title = "truss numbers",
                      .description = kKTrussDescription,
                      .value = "truss",
                      .build = {.symmetrize = true, .simplify = true}}) {}

  void run(const KernelInput& in) override { result_ = graph::truss_numbers(in.graph); }

  graph::Verification verify(const KernelInput& in) override {
    return graph::verify(in.graph, result_);
  }

  void summarize(const KernelInput& in, double) override {
    const graph::TrussEdges innermost =
        result_.edges.empty() ? graph::TrussEdges{} : result_.edges.back();
    in.report.line("Largest k", "{}, the greatest truss number",
                   fact("largest_k", innermost.truss));
    in.report.line("Innermost truss", "{} of {} edges", fact("innermost", innermost.edges),
                   in.graph.edge_count());
    list_trusses(in);
  }

  Lines lines(const KernelInput& in) override { return integer_lines(in); }

 private:
  // From the innermost on, of those k that some edge has as its truss number.
  void list_trusses(const KernelInput& in) {
    std::vector<std::int64_t> vertices(result_.edges.empty() ? 0 : result_.edges.back().truss + 1);
    if (in.top > 0 && !vertices.empty()) {
      for (const graph::TrussNumber k : values(in)) ++vertices[k];
    }
    Table table(in.report, "trusses",
                {{"Truss number"}, {"Edges"}, {"In the truss"}, {"Vertices in the truss"}});
    std::int64_t edges_inside = 0;
    std::int64_t vertices_inside = 0;
    std::size_t counted = vertices.size();  // of these truss numbers on
    for (const auto& [k, edges] : result_.edges | std::views::reverse | std::views::take(in.top)) {
      edges_inside += edges;
      while (counted > k) vertices_inside += vertices[--counted];
      table.add(fact("truss", k), fact("edges", edges), fact("edges_in_truss", edges_inside),
                fact("vertices_in_truss", vertices_inside));
    }
    table.print();
  }
};

}  // namespace

std::unique_ptr<Kernel> make_ktruss() { return std::make_unique<KTruss>(); }

}  // namespace grappa::cli
