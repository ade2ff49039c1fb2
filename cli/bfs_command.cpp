// grappa bfs: hops from a source.

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "cli/engine_option.hpp"
#include "cli/kernel.hpp"
#include "cli/vertex_choice.hpp"
#include "grappa/graph/collect.hpp"
#include "grappa/graph/io/vertex_names.hpp"
#include "grappa/graph/kernel/bfs.hpp"
#include "grappa/graph/verify/verify_bfs.hpp"

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

class Bfs final : public Kernel {
 public:
  std::string name() const override { return "bfs"; }
  std::string description() const override { return kBfsDescription; }

  void add_options(CommandLine& line) override {
    source_option_.add_to(line);
    engine_option_.add_to(line);
  }

  graph::BuildOptions build_options() const override { return {.in_edges = true}; }

  void prepare(const graph::Graph& graph, const graph::VertexNames& names,
               Report& report) override {
    source_ = source_option_.choose(graph, names, report);
  }

  void run(const graph::Graph& graph, Progress&) override {
    result_ = engine_option_.is_program()
                  ? graph::bfs_program(graph, source_, engine_option_.engine())
                  : graph::bfs(graph, source_);
  }
  void discard() override { result_ = {}; }

  nlohmann::json trial_facts(double seconds) const override { return {{"mteps", mteps(seconds)}}; }

  graph::Verification verify(const graph::Graph& graph) override {
    return graph::verify(graph, source_, result_);
  }

  void summarize(const graph::Graph& graph, const graph::VertexNames&, double seconds,
                 std::int64_t top, Report& report) override {
    report.line("MTEPS", "{:.4g}", fact("mteps", mteps(seconds)));
    report.line("Reached", "{} of {} vertices, {} edges", fact("reached", result_.reached),
                graph.vertex_count(), fact("edges", result_.edges));
    report.line("Levels", "{}, {} of them bottom-up", fact("levels", result_.levels),
                result_.bottom_up_levels);
    if (!report.silent()) print_levels(graph, top, report);
  }

  void collect_values(const graph::Graph& graph) override {
    if (depth_.empty()) depth_ = graph::collect(*result_.depth, graph);
  }

  void append_value(std::string& line, const graph::VertexNames&,
                    std::int64_t vertex) const override {
    const std::int32_t depth = depth_[static_cast<std::size_t>(vertex)];
    if (depth == graph::kUnreached) {
      line += "inf";
    } else {
      graph::append_integer(line, static_cast<std::uint64_t>(depth));
    }
  }

 private:
  double mteps(double seconds) const {
    return static_cast<double>(result_.edges) / std::max(seconds, 1e-9) * 1e-6;
  }

  void print_levels(const graph::Graph& graph, std::int64_t top, Report& report) {
    const std::int64_t rows = result_.levels <= kMaxLevels ? result_.levels : top;
    if (top == 0) return;
    collect_values(graph);
    std::vector<std::int64_t> count(static_cast<std::size_t>(result_.levels));
    for (const std::int32_t depth : depth_) {
      if (depth != graph::kUnreached) ++count[static_cast<std::size_t>(depth)];
    }
    Table table(report, "", {{"Depth"}, {"Vertices"}});
    for (std::int64_t d = 0; d < std::min(rows, result_.levels); ++d)
      table.add(d, count[static_cast<std::size_t>(d)]);
    if (rows < result_.levels) table.add(fmt::format("to {}", result_.levels - 1), "...");
    table.print();
  }

  SourceOption source_option_;
  EngineOption engine_option_;
  graph::VertexId source_ = 0;
  graph::BfsResult result_;
  std::vector<std::int32_t> depth_;  // [vertices], once collected
};

}  // namespace

int run_bfs(const Arguments& arguments) {
  Bfs bfs;
  return run_kernel(bfs, arguments);
}

}  // namespace grappa::cli
