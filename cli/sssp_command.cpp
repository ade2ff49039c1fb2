// grappa sssp: shortest paths from a source.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "cli/engine_option.hpp"
#include "cli/highest.hpp"
#include "cli/kernel.hpp"
#include "cli/number_text.hpp"
#include "cli/vertex_choice.hpp"
#include "grappa/base/error.hpp"
#include "grappa/graph/collect.hpp"
#include "grappa/graph/io/vertex_names.hpp"
#include "grappa/graph/kernel/sssp.hpp"
#include "grappa/graph/verify/verify_sssp.hpp"

namespace grappa::cli {
namespace {

constexpr const char* kSsspDescription =
    "Shortest paths: the least sum of edge weights on a path from a source to each vertex, along "
    "out-edges. Weights are numbers that are not negative; where the graph has none every edge "
    "weighs 1 (and that is said).\n\n"
    "Value in -o: the distance, inf where the source cannot reach. --verify compares all "
    "distances with those of Dijkstra's algorithm, to the last bit.\n\n"
    "Delta-stepping (Meyer and Sanders, Journal of Algorithms 49, 2003).";

class Sssp final : public Kernel {
 public:
  std::string name() const override { return "sssp"; }
  std::string description() const override { return kSsspDescription; }

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

  bool wants_weights() const override { return true; }
  double least_weight() const override { return 0; }

  void prepare(const graph::Graph& graph, const graph::VertexNames& names,
               Report& report) override {
    if (graph.weight_type() == graph::WeightType::kNone) {
      report.line("Weights", "none in the graph: every edge weighs 1");
    } else {
      report.line("Weights", "{} to {}", graph.weight_range().least, graph.weight_range().greatest);
    }
    source_ = source_option_.choose(graph, names, report);
  }

  void run(const graph::Graph& graph, Progress&) override {
    result_ = engine_option_.is_program()
                  ? graph::sssp_program(graph, source_, engine_option_.engine(), options_)
                  : graph::sssp(graph, source_, options_);
  }
  void discard() override { result_ = {}; }

  nlohmann::json trial_facts(double) const override {
    return {{"rounds", result_.rounds}, {"relaxations", result_.relaxations}};
  }

  graph::Verification verify(const graph::Graph& graph) override {
    return graph::verify(graph, source_, result_);
  }

  void summarize(const graph::Graph& graph, const graph::VertexNames& names, double,
                 std::int64_t top, Report& report) override {
    report.line("Reached", "{} of {} vertices", fact("reached", result_.reached),
                graph.vertex_count());
    report.line("Farthest", "{}", fact("farthest", result_.farthest));
    if (!engine_option_.is_in_rounds())
      report.line("Buckets", "of width {:.6g} (--delta D chooses)", result_.delta);
    report.set("delta", result_.delta);
    report.set("rounds", result_.rounds);
    report.set("weighted", graph.weight_type() != graph::WeightType::kNone);
    if (!report.silent() && top > 0) print_farthest(graph, names, top, report);
  }

  void collect_values(const graph::Graph& graph) override {
    if (distance_.empty()) distance_ = graph::collect(*result_.distance, graph);
  }

  void append_value(std::string& line, const graph::VertexNames&,
                    std::int64_t vertex) const override {
    append_number(line, distance_[static_cast<std::size_t>(vertex)]);
  }

 private:
  void print_farthest(const graph::Graph& graph, const graph::VertexNames& names, std::int64_t top,
                      Report& report) {
    collect_values(graph);
    constexpr double kUnreached = -1;  // behind all that are reached
    std::vector<double> finite = distance_;
    std::ranges::replace_if(finite, [](double d) { return !std::isfinite(d); }, kUnreached);
    Table table(report, "", {{"Farthest vertex"}, {"Distance"}});
    for (const std::int64_t v : highest(finite, std::min(top, result_.reached)))
      table.add(names.name(static_cast<graph::VertexId>(v)), finite[static_cast<std::size_t>(v)]);
    table.print();
  }

  SourceOption source_option_;
  EngineOption engine_option_;
  graph::VertexId source_ = 0;
  graph::SsspOptions options_;
  graph::SsspResult result_;
  std::vector<double> distance_;  // [vertices], once collected
};

}  // namespace

int run_sssp(const Arguments& arguments) {
  Sssp sssp;
  return run_kernel(sssp, arguments);
}

}  // namespace grappa::cli
