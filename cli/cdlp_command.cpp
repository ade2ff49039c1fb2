// grappa cdlp: communities by label propagation.

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
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

  nlohmann::json summarize(const graph::Graph& graph, const graph::VertexNames& names, double,
                           std::int64_t top, const Report& report) override {
    const std::vector<graph::Component> table = graph::component_table(graph, *result_.label);
    report.line("Rounds", "{}", rounds());
    report.line("Communities", "{}, {} of them single vertices", table.size(),
                std::ranges::count(table, 1, &graph::Component::size));
    nlohmann::json largest = nlohmann::json::array();
    std::vector<std::vector<std::string>> cells;
    const auto rows = std::min(top, std::ssize(table));
    for (const graph::Component& community :
         std::span(table).first(static_cast<std::size_t>(rows))) {
      cells.push_back({names.name(community.label), fmt::format("{}", community.size)});
      largest.push_back({{"label", json_name(names, community.label)}, {"size", community.size}});
    }
    if (rows > 0) report.table({"Label", "Vertices"}, cells);
    return {{"communities", table.size()},
            {"iterations", options_.iterations},
            {"computed_iterations", result_.iterations},
            {"changed", result_.changed},
            {"largest", std::move(largest)}};
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
