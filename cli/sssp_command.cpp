// grappa sssp: shortest paths from a source.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "cli/engine_option.hpp"
#include "cli/number_text.hpp"
#include "cli/vertex_choice.hpp"
#include "cli/vertex_kernel.hpp"
#include "grappa/graph/algorithms/sssp/sssp.hpp"

namespace grappa::cli {
namespace {

constexpr const char* kSsspDescription =
    "Shortest paths: the least sum of edge weights on a path from a source to each vertex, along "
    "out-edges. Weights are numbers that are not negative; where the graph has none every edge "
    "weighs 1 (and that is said).\n\n"
    "Value in -o: the distance, inf where the source cannot reach. --verify compares all "
    "distances with those of Dijkstra's algorithm, to the last bit.\n\n"
    "Delta-stepping (Meyer and Sanders, Journal of Algorithms 49, 2003).";

class Sssp final : public VertexKernel<&graph::SsspResult::distance> {
 public:
  Sssp()
      : VertexKernel({.title = "shortest paths",
                      .description = kSsspDescription,
                      .value = "distance",
                      .wants_weights = true,
                      .least_weight = 0,
                      .from_source = true}) {}

  void add_options(CommandLine& line) override {
    source_option_.add_to(line);
    engine_option_.add_to(line);
    line.add_number("Kernel", "--delta", "D", options_.delta, 0, 1e300,
                    "width of a bucket of distances; it changes the time, not the result; 0 "
                    "chooses it from weights and degrees");
    line.unused_when("--delta", [this] {
      return engine_option_.is_in_rounds() ? "--engine sync has no buckets" : "";
    });
  }

  void prepare(const KernelInput& in) override { source_ = source_option_.choose(in); }

  void run(const KernelInput& in) override {
    result_ = engine_option_.is_program()
                  ? graph::sssp_program(in.graph, source_, engine_option_.engine(), options_)
                  : graph::sssp(in.graph, source_, options_);
  }

  nlohmann::json trial_facts(double) const override {
    return {{"rounds", result_.rounds}, {"relaxations", result_.relaxations}};
  }

  graph::Verification verify(const KernelInput& in) override {
    return graph::verify(in.graph, source_, result_);
  }

  void summarize(const KernelInput& in, double) override {
    in.report.line("Reached", "{} of {} vertices", fact("reached", result_.reached),
                   in.graph.vertex_count());
    in.report.line("Farthest", "{}", fact("farthest", result_.farthest));
    if (!engine_option_.is_in_rounds())
      in.report.line("Buckets", "of width {:.6g} (--delta D chooses)", result_.delta);
    in.report.set("delta", result_.delta);
    in.report.set("rounds", result_.rounds);
    if (!in.report.silent() && in.top > 0) print_farthest(in);
  }

  Lines lines(const KernelInput& in) override {
    return vertex_lines(in, [&distance = values(in)](std::string& text, std::size_t v) {
      append_number(text, distance[v]);
    });
  }

 private:
  void print_farthest(const KernelInput& in) {
    constexpr double kUnreached = -1;  // behind all that are reached
    std::vector<double> finite = values(in);
    std::ranges::replace_if(finite, [](double d) { return !std::isfinite(d); }, kUnreached);
    Table table(in.report, "", {{"Farthest vertex"}, {"Distance"}});
    for (const std::int64_t v : highest(finite, std::min(in.top, result_.reached)))
      table.add(in.names.name(static_cast<graph::VertexId>(v)),
                finite[static_cast<std::size_t>(v)]);
    table.print();
  }

  SourceOption source_option_;
  EngineOption engine_option_;
  graph::VertexId source_ = 0;
  graph::SsspOptions options_;
};

}  // namespace

std::unique_ptr<Kernel> make_sssp() { return std::make_unique<Sssp>(); }

}  // namespace grappa::cli
