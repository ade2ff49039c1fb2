// grappa msf: the minimum spanning forest.

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "cli/kernel.hpp"
#include "cli/number_text.hpp"
#include "cli/vertex_choice.hpp"
#include "grappa/graph/kernel/spanning_forest.hpp"
#include "grappa/graph/verify/verify_spanning_forest.hpp"

namespace grappa::cli {
namespace {

constexpr const char* kMsfDescription =
    "Minimum spanning forest: of each connected component the tree of edges that joins its "
    "vertices and has the least sum of weights. Among edges of equal weight the one with the "
    "smaller end is preferred, then the one with the smaller other end, so there is one such "
    "forest. Edges are taken as undirected, and self-loops are ignored. Weights are any numbers; "
    "where the graph has none every edge weighs 1 (and that is said).\n\n"
    "-o writes the edges of the forest, which is a weighted graph again.\n\n"
    "Borůvka's algorithm (1926).";

class SpanningForest final : public Kernel {
 public:
  std::string name() const override { return "msf"; }
  std::string description() const override { return kMsfDescription; }
  void add_options(CommandLine&) override {}
  graph::BuildOptions build_options() const override { return {.symmetrize = true}; }
  bool wants_weights() const override { return true; }

  void prepare(const graph::Graph& graph, const graph::VertexNames&, Report& report) override {
    if (graph.weight_type() == graph::WeightType::kNone) {
      report.line("Weights", "none in the graph: every edge weighs 1");
    } else {
      report.line("Weights", "{} to {}", graph.weight_range().least, graph.weight_range().greatest);
    }
  }

  void run(const graph::Graph& graph, Progress&) override {
    result_ = graph::minimum_spanning_forest(graph);
  }
  void discard() override { result_ = {}; }

  graph::Verification verify(const graph::Graph& graph) override {
    return graph::verify(graph, result_);
  }

  void summarize(const graph::Graph& graph, const graph::VertexNames& names, double,
                 std::int64_t top, Report& report) override {
    report.line("Weight", "{}", fact("weight", result_.weight));
    report.line("Edges of it", "{}", fact("edges", result_.edges));
    report.line("Trees", "{}, single vertices included", fact("trees", result_.trees));
    report.set("weighted", graph.weight_type() != graph::WeightType::kNone);
    collect_values(graph);
    list_heaviest(names, top, report);
  }

  void collect_values(const graph::Graph& graph) override {
    if (edges_.empty()) edges_ = graph::forest_edges(graph, result_);
  }

  std::string lines_help() const override {
    return "a line \"vertex<TAB>vertex<TAB>weight\" for every edge of the forest, in ascending "
           "order";
  }
  std::int64_t line_count(const graph::Graph&) const override { return std::ssize(edges_); }
  void append_line(std::string& text, const graph::VertexNames& names,
                   std::int64_t line) const override {
    const graph::ForestEdge& edge = edges_[static_cast<std::size_t>(line)];
    names.append(text, edge.u);
    text += '\t';
    names.append(text, edge.v);
    text += '\t';
    append_number(text, edge.weight);
  }
  void append_value(std::string&, const graph::VertexNames&, std::int64_t) const override {}

 private:
  // The edges that were hardest to do without.
  void list_heaviest(const graph::VertexNames& names, std::int64_t top, Report& report) const {
    std::vector<graph::ForestEdge> heaviest(
        static_cast<std::size_t>(std::min(top, std::ssize(edges_))));
    std::ranges::partial_sort_copy(
        edges_, heaviest, [](const graph::ForestEdge& a, const graph::ForestEdge& b) {
          return a.weight != b.weight ? a.weight > b.weight : a.is_lighter_than(b);
        });
    Table table(report, "heaviest", {{"Heaviest edge"}, {"to"}, {"Weight"}});
    for (const graph::ForestEdge& edge : heaviest)
      table.add(vertex_fact("u", names, edge.u), vertex_fact("v", names, edge.v),
                fact("weight", edge.weight));
    table.print();
  }

  graph::SpanningForestResult result_;
  std::vector<graph::ForestEdge> edges_;  // once collected
};

}  // namespace

int run_msf(const Arguments& arguments) {
  SpanningForest forest;
  return run_kernel(forest, arguments);
}

}  // namespace grappa::cli
