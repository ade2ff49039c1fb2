// grappa cdlp: communities by label propagation.

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "cli/vertex_kernel.hpp"
#include "grappa/graph/algorithms/connected_components/connected_components.hpp"
#include "grappa/graph/algorithms/label_propagation/label_propagation.hpp"

namespace grappa::cli {
namespace {

constexpr const char* kCdlpDescription =
    "Communities by label propagation, as LDBC Graphalytics defines CDLP: the label of a vertex "
    "is at first the vertex itself; in each round all vertices at once take the label that most "
    "of their neighbors have, and of several such labels the smallest. In a directed graph in- "
    "and out-neighbors count, so a pair with edges both ways counts twice; equal edges count as "
    "often as they occur. A vertex without neighbors keeps its label.\n\n"
    "Value in -o: the label after the rounds, a vertex.";

class LabelPropagation final : public KernelOf<graph::LabelPropagationResult> {
 public:
  LabelPropagation()
      : KernelOf({.title = "communities",
                  .description = kCdlpDescription,
                  .value = "label",
                  .build = {.in_edges = true}}) {}

  void add_options(CommandLine& line) override {
    line.add_count("Kernel", "--iterations", "N", iterations_, 0, 1'000'000'000,
                   "number of rounds");
  }

  void run(const KernelInput& in) override {
    const auto show = [&in](std::int64_t iteration, std::int64_t changed) {
      in.report.progress().show(fmt::format("round {}, {} labels changed", iteration, changed));
    };
    result_ = graph::label_propagation(in.graph, {.iterations = iterations_, .on_iteration = show});
  }

  graph::Verification verify(const KernelInput& in) override {
    return graph::verify(in.graph, iterations_, result_);
  }

  void summarize(const KernelInput& in, double) override {
    const std::vector<graph::Component> communities =
        graph::component_table(in.graph, *result_.label);
    in.report.line("Rounds", "{}", fact("iterations", iterations_, rounds()));
    in.report.set("computed_iterations", result_.iterations);
    in.report.set("changed", result_.changed);
    in.report.line("Communities", "{}, {} of them single vertices",
                   fact("communities", communities.size()),
                   std::ranges::count(communities, 1, &graph::Component::size));
    list_largest(in, communities, "Label", "label");
  }

  Lines lines(const KernelInput& in) override { return label_lines(in, *result_.label); }
  ResultColumns columns(const KernelInput& in) override {
    return label_column(in, *result_.label, info().value);
  }

 private:
  std::string rounds() const {
    if (result_.iterations < iterations_)
      return fmt::format("{}, the last {} of them without any change", iterations_,
                         iterations_ - result_.iterations + 1);
    return fmt::format("{}, {} labels changed in the last", iterations_, result_.changed);
  }

  std::int64_t iterations_ = graph::LabelPropagationOptions().iterations;
};

}  // namespace

std::unique_ptr<Kernel> make_cdlp() { return std::make_unique<LabelPropagation>(); }

}  // namespace grappa::cli
