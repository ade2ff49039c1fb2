// grappa cdlp: communities by label propagation.

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <vector>

#include "cli/kernel.hpp"
#include "cli/vertex_choice.hpp"
#include "grappa/graph/collect.hpp"
#include "grappa/graph/kernel/connected_components.hpp"
#include "grappa/graph/kernel/label_propagation.hpp"
#include "grappa/graph/verify/verify_label_propagation.hpp"

namespace grappa::cli {
namespace {

constexpr const char* kCdlpDescription =
    "Communities by label propagation, as LDBC Graphalytics defines CDLP: the label of a vertex "
    "is at first the vertex itself; in each round all vertices at once take the label that most "
    "of their neighbors have, and of several such labels the smallest. In a directed graph in- "
    "and out-neighbors count, so a pair with edges both ways counts twice; equal edges count as "
    "often as they occur. A vertex without neighbors keeps its label.\n\n"
    "Value in -o: the label after the rounds, a vertex.";

class LabelPropagation final : public Kernel {
 public:
  std::string name() const override { return "cdlp"; }
  std::string description() const override { return kCdlpDescription; }

  void add_options(CommandLine& line) override {
    line.add_count("Kernel", "--iterations", "N", options_.iterations, 0, 1'000'000'000,
                   "number of rounds");
  }

  graph::BuildOptions build_options() const override { return {.in_edges = true}; }

  void run(const graph::Graph& graph, Progress& progress) override {
    options_.on_iteration = [&progress](std::int64_t iteration, std::int64_t changed) {
      progress.show(fmt::format("round {}, {} labels changed", iteration, changed));
    };
    result_ = graph::label_propagation(graph, options_);
    options_.on_iteration = {};
  }
  void discard() override { result_ = {}; }

  graph::Verification verify(const graph::Graph& graph) override {
    return graph::verify(graph, options_.iterations, result_);
  }

  void summarize(const graph::Graph& graph, const graph::VertexNames& names, double,
                 std::int64_t top, Report& report) override {
    const std::vector<graph::Component> communities = graph::component_table(graph, *result_.label);
    report.line("Rounds", "{}", fact("iterations", options_.iterations, rounds()));
    report.set("computed_iterations", result_.iterations);
    report.set("changed", result_.changed);
    report.line("Communities", "{}, {} of them single vertices",
                fact("communities", communities.size()),
                std::ranges::count(communities, 1, &graph::Component::size));
    Table table(report, "largest", {{"Label"}, {"Vertices"}});
    for (const graph::Component& community : communities | std::views::take(top))
      table.add(vertex_fact("label", names, community.label), fact("size", community.size));
    table.print();
  }

  void collect_values(const graph::Graph& graph) override {
    label_ = graph::collect_vertices(*result_.label, graph);
  }

  void append_value(std::string& line, const graph::VertexNames& names,
                    std::int64_t vertex) const override {
    names.append(line, label_[static_cast<std::size_t>(vertex)]);
  }

 private:
  std::string rounds() const {
    if (result_.iterations < options_.iterations)
      return fmt::format("{}, the last {} of them without any change", options_.iterations,
                         options_.iterations - result_.iterations + 1);
    return fmt::format("{}, {} labels changed in the last", options_.iterations, result_.changed);
  }

  graph::LabelPropagationOptions options_;
  graph::LabelPropagationResult result_;
  std::vector<graph::VertexId> label_;  // [vertices], once collected
};

}  // namespace

int run_cdlp(const Arguments& arguments) {
  LabelPropagation label_propagation;
  return run_kernel(label_propagation, arguments);
}

}  // namespace grappa::cli
