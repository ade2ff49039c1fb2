// grappa pagerank: the stationary distribution of a random surfer.

#include <fmt/format.h>

#include <memory>

#include "cli/engine_option.hpp"
#include "cli/number_text.hpp"
#include "cli/vertex_kernel.hpp"
#include "grappa/base/error.hpp"
#include "grappa/graph/algorithms/pagerank/pagerank.hpp"

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

class PageRank final : public VertexKernel<&graph::PageRankResult::rank> {
 public:
  PageRank()
      : VertexKernel({.title = "PageRank",
                      .description = kPageRankDescription,
                      .value = "rank",
                      .build = {.in_edges = true},
                      .has_checkpoints = true}) {}

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

  void take_options(bool with_checkpoints) override {
    engine_option_.check_checkpoints(with_checkpoints);
    const bool single = precision_ == "single";
    if (single) options_.precision = graph::PageRankPrecision::kSingle;
    if (!engine_option_.is_program()) return;
    if (options_.tolerance == 0 && !engine_option_.is_in_rounds())
      throw UsageError("--tolerance 0: --engine async has no iterations to stop after");
    if (options_.damping == 1)
      throw UsageError("--damping 1: only with --engine direct; a vertex program never stops");
    if (single) throw UsageError("--precision single: only with --engine direct");
  }

  void run(const KernelInput& in) override {
    graph::PageRankOptions options = options_;
    options.checkpoint = in.checkpoint;
    options.on_iteration = [&in](std::int64_t iteration, double change) {
      in.report.progress().show(fmt::format("iteration {}, change {:.2e}", iteration, change));
    };
    result_ = engine_option_.is_program()
                  ? graph::pagerank_program(in.graph, options, engine_option_.engine())
                  : graph::pagerank(in.graph, options);
  }

  nlohmann::json trial_facts(double) const override {
    return {{"iterations", result_.iterations}, {"change", result_.change}};
  }

  graph::Verification verify(const KernelInput& in) override {
    return graph::verify(in.graph, options_, result_);
  }

  void summarize(const KernelInput& in, double) override {
    const bool stopped_early = options_.tolerance > 0 && !result_.converged;
    in.report.line("Iterations", "{}, last change {:.3g}{}", fact("iterations", result_.iterations),
                   fact("change", result_.change), stopped_early ? ", above the tolerance" : "");
    in.report.set("converged", result_.converged);
    list_highest(in, "Rank", "rank");
  }

  Lines lines(const KernelInput& in) override {
    return vertex_lines(in, [&rank = values(in)](std::string& text, std::size_t v) {
      append_number(text, rank[v]);
    });
  }

 private:
  std::string precision_ = "double";
  EngineOption engine_option_;
  graph::PageRankOptions options_;
};

}  // namespace

std::unique_ptr<Kernel> make_pagerank() { return std::make_unique<PageRank>(); }

}  // namespace grappa::cli
