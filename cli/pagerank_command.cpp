// grappa pagerank: the stationary distribution of a random surfer.

#include <fmt/format.h>

#include <vector>

#include "cli/engine_option.hpp"
#include "cli/highest.hpp"
#include "cli/kernel.hpp"
#include "cli/number_text.hpp"
#include "cli/vertex_choice.hpp"
#include "grappa/base/error.hpp"
#include "grappa/graph/collect.hpp"
#include "grappa/graph/kernel/pagerank.hpp"
#include "grappa/graph/verify/verify_pagerank.hpp"

namespace grappa::cli {
namespace {

constexpr const char* kPageRankDescription =
    "PageRank: how often each vertex is visited by a surfer who follows a random out-edge with "
    "probability D (damping), and otherwise jumps to a random vertex.\n\n"
    "Ranks start at 1/n; in each iteration rank(v) = (1 - D)/n + D * (sum over in-edges u -> v "
    "of rank(u) / outdegree(u) + dangling/n), where dangling is the sum of the ranks of vertices "
    "without out-edges. An edge that occurs k times counts k times. The kernel stops when the "
    "sum of absolute changes is below the tolerance, or after the iterations.\n\n"
    "As a vertex program (--engine), a vertex passes on how its rank has changed once that is "
    "more than a threshold, which is chosen to keep the same tolerance.\n\n"
    "Value in -o: the rank; the ranks sum to 1.";

class PageRank final : public Kernel {
 public:
  std::string name() const override { return "pagerank"; }
  std::string description() const override { return kPageRankDescription; }

  void add_options(CommandLine& line) override {
    line.add_number("Kernel", "--damping", "D", options_.damping, 0, 1,
                    "probability of following an edge");
    line.add_number("Kernel", "--tolerance", "X", options_.tolerance, 0, 2,
                    "stop below this change; 0: after exactly the iterations, "
                    "which --engine async does not count");
    line.add_count("Kernel", "--iterations", "N", options_.max_iterations, 0, 1'000'000'000,
                   "stop after this many at the latest");
    line.add_choice(
        "Kernel", "--precision", precision_, {"double", "single"},
        "of what is passed along edges: double; or single, which is faster on large graphs, and "
        "then each rank is right to about a millionth");
    line.unused_when("--iterations", [this] {
      return engine_option_.is_program() && !engine_option_.is_in_rounds()
                 ? "--engine async does not count iterations"
                 : "";
    });
    engine_option_.add_to(line);
  }

  graph::BuildOptions build_options() const override { return {.in_edges = true}; }

  bool has_checkpoints() const override { return true; }
  void use_checkpoint(graph::Checkpoint* checkpoint) override { options_.checkpoint = checkpoint; }

  void check_options(bool with_checkpoints) const override {
    engine_option_.check_checkpoints(with_checkpoints);
    if (!engine_option_.is_program()) return;
    if (options_.tolerance == 0 && !engine_option_.is_in_rounds())
      throw UsageError("--tolerance 0: --engine async has no iterations to stop after");
    if (options_.damping == 1)
      throw UsageError("--damping 1: only with --engine direct; a vertex program never stops");
    if (precision_ == "single") throw UsageError("--precision single: only with --engine direct");
  }

  void prepare(const graph::Graph&, const graph::VertexNames&, Report&) override {
    if (precision_ == "single") options_.precision = graph::PageRankPrecision::kSingle;
  }

  void run(const graph::Graph& graph, Progress& progress) override {
    options_.on_iteration = [&progress](std::int64_t iteration, double change) {
      progress.show(fmt::format("iteration {}, change {:.2e}", iteration, change));
    };
    result_ = engine_option_.is_program()
                  ? graph::pagerank_program(graph, options_, engine_option_.engine())
                  : graph::pagerank(graph, options_);
    options_.on_iteration = {};
  }
  void discard() override { result_ = {}; }

  nlohmann::json trial_facts(double) const override {
    return {{"iterations", result_.iterations}, {"change", result_.change}};
  }

  graph::Verification verify(const graph::Graph& graph) override {
    return graph::verify(graph, options_, result_);
  }

  void summarize(const graph::Graph& graph, const graph::VertexNames& names, double,
                 std::int64_t top, Report& report) override {
    report.line("Iterations", "{}, last change {:.3g}{}", fact("iterations", result_.iterations),
                fact("change", result_.change), stopped_early() ? ", above the tolerance" : "");
    report.set("converged", result_.converged);
    Table table(report, "top", {{"Vertex"}, {"Rank", "{:.6g}"}});
    if (top == 0) return;
    collect_values(graph);
    for (const std::int64_t v : highest(rank_, top))
      table.add(vertex_fact("vertex", names, v), fact("rank", rank_[static_cast<std::size_t>(v)]));
    table.print();
  }

  void collect_values(const graph::Graph& graph) override {
    if (rank_.empty()) rank_ = graph::collect(*result_.rank, graph);
  }

  void append_value(std::string& line, const graph::VertexNames&,
                    std::int64_t vertex) const override {
    append_number(line, rank_[static_cast<std::size_t>(vertex)]);
  }

 private:
  bool stopped_early() const { return options_.tolerance > 0 && !result_.converged; }

  std::string precision_ = "double";
  EngineOption engine_option_;
  graph::PageRankOptions options_;
  graph::PageRankResult result_;
  std::vector<double> rank_;  // [vertices], once collected
};

}  // namespace

int run_pagerank(const Arguments& arguments) {
  PageRank pagerank;
  return run_kernel(pagerank, arguments);
}

}  // namespace grappa::cli
