// grappa coloring: colors such that neighbors differ.

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "cli/kernel.hpp"
#include "grappa/graph/collect.hpp"
#include "grappa/graph/io/vertex_names.hpp"
#include "grappa/graph/kernel/coloring.hpp"
#include "grappa/graph/verify/verify_coloring.hpp"

namespace grappa::cli {
namespace {

constexpr const char* kColoringDescription =
    "Graph coloring: a number for each vertex such that the ends of every edge differ, with few "
    "different numbers (not the fewest, which is hard). Vertices choose greedily, those of high "
    "degree first. The result is the same for any number of cores and locales. Edges are taken "
    "as undirected, self-loops are ignored.\n\n"
    "Value in -o: the color, from 0 on.\n\n"
    "Jones and Plassmann (SIAM J. Sci. Comput. 1993), ordered by the logarithm of the degree "
    "(Hasenplaugh, Kaler, Schardl, Leiserson, SPAA 2014).";

class Coloring final : public Kernel {
 public:
  std::string name() const override { return "coloring"; }
  std::string description() const override { return kColoringDescription; }
  void add_options(CommandLine&) override {}
  graph::BuildOptions build_options() const override { return {.symmetrize = true}; }

  void run(const graph::Graph& graph, Progress&) override { result_ = graph::color(graph); }
  void discard() override { result_ = {}; }

  graph::Verification verify(const graph::Graph& graph) override {
    return graph::verify(graph, result_);
  }

  void summarize(const graph::Graph& graph, const graph::VertexNames&, double, std::int64_t top,
                 Report& report) override {
    report.line("Colors", "{}", fact("colors", result_.colors));
    collect_values(graph);
    std::vector<std::int64_t> sizes(static_cast<std::size_t>(result_.colors));
    for (const std::uint32_t color : color_) ++sizes[color];
    sizes.resize(std::min(static_cast<std::size_t>(top), sizes.size()));
    report.set("sizes", sizes);
    Table table(report, "", {{"Color"}, {"Vertices"}});
    for (std::size_t c = 0; c < sizes.size(); ++c) table.add(c, sizes[c]);
    table.print();
  }

  void collect_values(const graph::Graph& graph) override {
    if (color_.empty()) color_ = graph::collect(*result_.color, graph);
  }
  void append_value(std::string& line, const graph::VertexNames&,
                    std::int64_t vertex) const override {
    graph::append_integer(line, color_[static_cast<std::size_t>(vertex)]);
  }

 private:
  graph::ColoringResult result_;
  std::vector<std::uint32_t> color_;  // [vertices], once collected
};

}  // namespace

int run_coloring(const Arguments& arguments) {
  Coloring coloring;
  return run_kernel(coloring, arguments);
}

}  // namespace grappa::cli
