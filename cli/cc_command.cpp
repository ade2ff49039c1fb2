// grappa cc: weakly connected components.

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "cli/engine_option.hpp"
#include "cli/kernel.hpp"
#include "cli/vertex_choice.hpp"
#include "grappa/graph/collect.hpp"
#include "grappa/graph/kernel/connected_components.hpp"
#include "grappa/graph/verify/verify_components.hpp"

namespace grappa::cli {
namespace {

constexpr const char* kComponentsDescription =
    "Connected components: sets of vertices joined by edges, whatever the direction of the edges "
    "(weakly connected).\n\n"
    "Value in -o: the smallest vertex of the component.\n\n"
    "Afforest (Sutton, Ben-Nun, Barak, IPDPS 2018); as a vertex program (--engine) by propagation "
    "of the least label.";

class ConnectedComponents final : public Kernel {
 public:
  std::string name() const override { return "cc"; }
  std::string description() const override { return kComponentsDescription; }
  void add_options(CommandLine& line) override { engine_option_.add_to(line); }

  // Label propagation follows edges in their direction only.
  graph::BuildOptions build_options() const override {
    return {.symmetrize = engine_option_.is_program()};
  }

  bool has_checkpoints() const override { return true; }
  void use_checkpoint(graph::Checkpoint* checkpoint) override { options_.checkpoint = checkpoint; }
  void check_options(bool with_checkpoints) const override {
    engine_option_.check_checkpoints(with_checkpoints);
  }

  void run(const graph::Graph& graph, Progress& progress) override {
    options_.on_step = [&progress](std::int64_t done, std::int64_t steps) {
      progress.show(fmt::format("step {} of {}", done, steps));
    };
    result_ = engine_option_.is_program()
                  ? graph::components_program(graph, engine_option_.engine())
                  : graph::connected_components(graph, options_);
    options_.on_step = {};
  }
  void discard() override { result_ = {}; }

  graph::Verification verify(const graph::Graph& graph) override {
    return graph::verify(graph, result_);
  }

  nlohmann::json summarize(const graph::Graph& graph, const graph::VertexNames& names, double,
                           std::int64_t top, const Report& report) override {
    const std::vector<graph::Component> table = graph::component_table(graph, *result_.label);
    const auto rows = std::min(top, static_cast<std::int64_t>(table.size()));
    const auto singles = std::count_if(table.begin(), table.end(),
                                       [](const graph::Component& c) { return c.size == 1; });
    report.line("Components", "{}, {} of them single vertices", table.size(), singles);
    nlohmann::json largest = nlohmann::json::array();
    std::vector<std::vector<std::string>> cells;
    for (std::int64_t i = 0; i < rows; ++i) {
      const graph::Component& component = table[static_cast<std::size_t>(i)];
      cells.push_back({names.name(component.label), fmt::format("{}", component.size)});
      largest.push_back({{"vertex", json_name(names, component.label)}, {"size", component.size}});
    }
    if (rows > 0) report.table({"Component", "Vertices"}, cells);
    return {{"components", table.size()}, {"largest", std::move(largest)}};
  }

  void collect_values(const graph::Graph& graph) override {
    label_ = graph::collect_vertices(*result_.label, graph);
  }

  void append_value(std::string& line, const graph::VertexNames& names,
                    std::int64_t vertex) const override {
    names.append(line, label_[static_cast<std::size_t>(vertex)]);
  }

 private:
  EngineOption engine_option_;
  graph::ComponentsOptions options_;
  graph::ComponentsResult result_;
  std::vector<graph::VertexId> label_;  // [vertices], once collected
};

}  // namespace

int run_cc(const Arguments& arguments) {
  ConnectedComponents components;
  return run_kernel(components, arguments);
}

}  // namespace grappa::cli
