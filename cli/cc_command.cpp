// grappa cc: weakly connected components.

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
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

  void summarize(const graph::Graph& graph, const graph::VertexNames& names, double,
                 std::int64_t top, Report& report) override {
    const std::vector<graph::Component> components = graph::component_table(graph, *result_.label);
    report.line("Components", "{}, {} of them single vertices",
                fact("components", components.size()),
                std::ranges::count(components, 1, &graph::Component::size));
    Table table(report, "largest", {{"Component"}, {"Vertices"}});
    for (const graph::Component& component : components | std::views::take(top))
      table.add(vertex_fact("vertex", names, component.label), fact("size", component.size));
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
