// grappa triangles: how many there are, and of which vertices.

#include <fmt/format.h>

#include <vector>

#include "cli/highest.hpp"
#include "cli/kernel.hpp"
#include "cli/vertex_choice.hpp"
#include "grappa/graph/collect.hpp"
#include "grappa/graph/io/vertex_names.hpp"
#include "grappa/graph/kernel/triangles.hpp"
#include "grappa/graph/verify/verify_triangles.hpp"

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

class Triangles final : public Kernel {
 public:
  std::string name() const override { return "triangles"; }
  std::string description() const override { return kTrianglesDescription; }

  void add_options(CommandLine& line) override {
    line.add_switch("Kernel", "--total", total_only_,
                    "count them all together and not for each vertex, which is faster");
  }

  graph::BuildOptions build_options() const override {
    return {.symmetrize = true, .simplify = true};
  }

  std::string why_no_values() const override {
    return total_only_ ? "--total counts no triangles of vertices" : "";
  }

  void run(const graph::Graph& graph, Progress&) override {
    result_ = graph::triangles(graph, {.per_vertex = !total_only_});
  }
  void discard() override { result_ = {}; }

  nlohmann::json trial_facts(double) const override { return {{"triangles", result_.total}}; }

  graph::Verification verify(const graph::Graph& graph) override {
    return graph::verify(graph, result_);
  }

  void summarize(const graph::Graph& graph, const graph::VertexNames& names, double,
                 std::int64_t top, Report& report) override {
    const graph::Clustering clustering = graph::clustering_of(graph, result_);
    report.line("Triangles", "{}", fact("triangles", result_.total));
    report.line("Global clustering", "{:.6g}, of {} wedges",
                fact("global_clustering", clustering.global), fact("wedges", clustering.wedges));
    if (total_only_) return;
    report.line("Average clustering", "{:.6g}", fact("average_clustering", clustering.average));
    Table table(report, "top", {{"Vertex"}, {"Triangles"}});
    if (top == 0) return;
    collect_values(graph);
    for (const std::int64_t v : highest(count_, top))
      table.add(vertex_fact("vertex", names, v),
                fact("triangles", count_[static_cast<std::size_t>(v)]));
    table.print();
  }

  void collect_values(const graph::Graph& graph) override {
    if (count_.empty()) count_ = graph::collect(*result_.count, graph);
  }

  void append_value(std::string& line, const graph::VertexNames&,
                    std::int64_t vertex) const override {
    graph::append_integer(line, count_[static_cast<std::size_t>(vertex)]);
  }

 private:
  bool total_only_ = false;
  graph::TriangleResult result_;
  std::vector<std::uint64_t> count_;  // [vertices], once collected
};

}  // namespace

int run_triangles(const Arguments& arguments) {
  Triangles triangles;
  return run_kernel(triangles, arguments);
}

}  // namespace grappa::cli
