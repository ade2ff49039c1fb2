// grappa bfs: hops from a source.

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "cli/engine_option.hpp"
#include "cli/vertex_choice.hpp"
#include "cli/vertex_kernel.hpp"
#include "grappa/graph/algorithms/bfs/bfs.hpp"

namespace grappa::cli {
namespace {

constexpr const char* kBfsDescription =
    "Breadth-first search: how many hops each vertex is away from a source, along out-edges.\n\n"
    "Value in -o: the depth, a whole number from 0; inf where the source cannot reach. MTEPS are "
    "the edges of all reached vertices (undirected ones once), in millions a second, as Graph500 "
    "counts them. --verify asserts Graph500's rules: the parents form a tree rooted at the "
    "source, tree edges are edges of the graph between neighboring depths, no edge joins depths "
    "more than one apart (directed: leads to a depth more than one greater), and what is reached "
    "is complete.\n\n"
    "Direction-optimizing (Beamer, Asanovic, Patterson, SC 2012).";

// Deep graphs have more levels than a person reads.
constexpr std::int64_t kMaxLevels = 20;

class Bfs final : public VertexKernel<&graph::BfsResult::depth> {
 public:
  Bfs()
      : VertexKernel({.title = "breadth-first search",
                      .description = kBfsDescription,
                      .value = "depth",
                      .build = {.in_edges = true},
                      .from_source = true}) {}

  void add_options(CommandLine& line) override {
    source_option_.add_to(line);
    engine_option_.add_to(line);
  }

  void prepare(const KernelInput& in) override { source_ = source_option_.choose(in); }

  void run(const KernelInput& in) override {
    result_ = engine_option_.is_program()
                  ? graph::bfs_program(in.graph, source_, engine_option_.engine())
                  : graph::bfs(in.graph, source_);
  }

  nlohmann::json trial_facts(double seconds) const override { return {{"mteps", mteps(seconds)}}; }

  graph::Verification verify(const KernelInput& in) override {
    return graph::verify(in.graph, source_, result_);
  }

  void summarize(const KernelInput& in, double seconds) override {
    in.report.line("MTEPS", "{:.4g}", fact("mteps", mteps(seconds)));
    in.report.line("Reached", "{} of {} vertices, {} edges", fact("reached", result_.reached),
                   in.graph.vertex_count(), fact("edges", result_.edges));
    in.report.line("Levels", "{}, {} of them bottom-up", fact("levels", result_.levels),
                   result_.bottom_up_levels);
    if (!in.report.silent() && in.top > 0) print_levels(in);
  }

  Lines lines(const KernelInput& in) override {
    return vertex_lines(in, [&depth = values(in)](std::string& text, std::size_t v) {
      if (depth[v] == graph::kUnreached) {
        text += "inf";
      } else {
        graph::append_integer(text, static_cast<std::uint64_t>(depth[v]));
      }
    });
  }

 private:
  double mteps(double seconds) const {
    return static_cast<double>(result_.edges) / std::max(seconds, 1e-9) * 1e-6;
  }

  void print_levels(const KernelInput& in) {
    const std::int64_t rows = result_.levels <= kMaxLevels ? result_.levels : in.top;
    std::vector<std::int64_t> count(static_cast<std::size_t>(result_.levels));
    for (const std::int32_t depth : values(in)) {
      if (depth != graph::kUnreached) ++count[static_cast<std::size_t>(depth)];
    }
    Table table(in.report, "", {{"Depth"}, {"Vertices"}});
    for (std::int64_t d = 0; d < std::min(rows, result_.levels); ++d)
      table.add(d, count[static_cast<std::size_t>(d)]);
    if (rows < result_.levels) table.add(fmt::format("to {}", result_.levels - 1), "...");
    table.print();
  }

  SourceOption source_option_;
  EngineOption engine_option_;
  graph::VertexId source_ = 0;
};

}  // namespace

std::unique_ptr<Kernel> make_bfs() { return std::make_unique<Bfs>(); }

}  // namespace grappa::cli
