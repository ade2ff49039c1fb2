// grappa lcc: local clustering coefficients.

#include <fmt/format.h>

#include <vector>

#include "cli/highest.hpp"
#include "cli/kernel.hpp"
#include "cli/number_text.hpp"
#include "cli/vertex_choice.hpp"
#include "grappa/graph/collect.hpp"
#include "grappa/graph/io/vertex_names.hpp"
#include "grappa/graph/kernel/local_clustering.hpp"
#include "grappa/graph/verify/verify_lcc.hpp"

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

class LocalClustering final : public Kernel {
 public:
  std::string name() const override { return "lcc"; }
  std::string description() const override { return kLccDescription; }
  void add_options(CommandLine&) override {}

  graph::BuildOptions build_options() const override {
    return {.in_edges = true, .simplify = true};
  }

  void run(const graph::Graph& graph, Progress&) override {
    result_ = graph::local_clustering(graph);
  }
  void discard() override { result_ = {}; }

  graph::Verification verify(const graph::Graph& graph) override {
    return graph::verify(graph, result_);
  }

  void summarize(const graph::Graph& graph, const graph::VertexNames& names, double,
                 std::int64_t top, Report& report) override {
    report.line("Average", "{:.6g}", fact("average", result_.average));
    Table table(report, "top", {{"Vertex"}, {"Coefficient", "{:.6g}"}});
    if (top == 0) return;
    collect_values(graph);
    for (const std::int64_t v : highest(coefficient_, top))
      table.add(vertex_fact("vertex", names, v),
                fact("coefficient", coefficient_[static_cast<std::size_t>(v)]));
    table.print();
  }

  void collect_values(const graph::Graph& graph) override {
    if (coefficient_.empty()) coefficient_ = graph::collect(*result_.coefficient, graph);
  }

  void append_value(std::string& line, const graph::VertexNames&,
                    std::int64_t vertex) const override {
    append_number(line, coefficient_[static_cast<std::size_t>(vertex)]);
  }

 private:
  graph::LccResult result_;
  std::vector<double> coefficient_;  // [vertices], once collected
};

}  // namespace

int run_lcc(const Arguments& arguments) {
  LocalClustering clustering;
  return run_kernel(clustering, arguments);
}

}  // namespace grappa::cli
