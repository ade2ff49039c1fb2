// grappa cc: weakly connected components.

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "cli/engine_option.hpp"
#include "cli/vertex_kernel.hpp"
#include "grappa/graph/algorithms/connected_components/connected_components.hpp"

namespace grappa::cli {
namespace {

constexpr const char* kComponentsDescription =
    "Connected components: sets of vertices joined by edges, whatever the direction of the edges "
    "(weakly connected).\n\n"
    "Value in -o: the smallest vertex of the component.\n\n"
    "Afforest (Sutton, Ben-Nun, Barak, IPDPS 2018); as a vertex program (--engine) by propagation "
    "of the least label.";

class ConnectedComponents final : public KernelOf<graph::ComponentsResult> {
 public:
  ConnectedComponents()
      : KernelOf({.title = "connected components",
                  .description = kComponentsDescription,
                  .value = "component",
                  .has_checkpoints = true}) {}

  void add_options(CommandLine& line) override { engine_option_.add_to(line); }
  void take_options(bool with_checkpoints) override {
    engine_option_.check_checkpoints(with_checkpoints);
    // Label propagation follows edges in their direction only.
    info_.build.symmetrize = engine_option_.is_program();
  }

  void run(const KernelInput& in) override {
    const auto show = [&in](std::int64_t done, std::int64_t steps) {
      in.report.progress().show(fmt::format("step {} of {}", done, steps));
    };
    result_ =
        engine_option_.is_program()
            ? graph::components_program(in.graph, engine_option_.engine())
            : graph::connected_components(in.graph, {.on_step = show, .checkpoint = in.checkpoint});
  }

  graph::Verification verify(const KernelInput& in) override {
    return graph::verify(in.graph, result_);
  }

  void summarize(const KernelInput& in, double) override {
    const std::vector<graph::Component> components =
        graph::component_table(in.graph, *result_.label);
    in.report.line("Components", "{}, {} of them single vertices",
                   fact("components", components.size()),
                   std::ranges::count(components, 1, &graph::Component::size));
    list_largest(in, components, "Component", "vertex");
  }

  Lines lines(const KernelInput& in) override { return label_lines(in, *result_.label); }
  ResultColumns columns(const KernelInput& in) override {
    return label_column(in, *result_.label, info().value);
  }

 private:
  EngineOption engine_option_;
};

}  // namespace

std::unique_ptr<Kernel> make_cc() { return std::make_unique<ConnectedComponents>(); }

}  // namespace grappa::cli
