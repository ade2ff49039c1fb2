// grappa coloring: colors such that neighbors differ.

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "cli/vertex_kernel.hpp"
#include "grappa/graph/algorithms/coloring/coloring.hpp"

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

class Coloring final : public VertexKernel<&graph::ColoringResult::color> {
 public:
  Coloring()
      : VertexKernel({.title = "coloring",
                      .description = kColoringDescription,
                      .value = "color",
                      .build = {.symmetrize = true}}) {}

  void run(const KernelInput& in) override { result_ = graph::color(in.graph); }

  graph::Verification verify(const KernelInput& in) override {
    return graph::verify(in.graph, result_);
  }

  void summarize(const KernelInput& in, double) override {
    in.report.line("Colors", "{}", fact("colors", result_.colors));
    std::vector<std::int64_t> sizes(static_cast<std::size_t>(result_.colors));
    for (const std::uint32_t color : values(in)) ++sizes[color];
    sizes.resize(std::min(static_cast<std::size_t>(in.top), sizes.size()));
    in.report.set("sizes", sizes);
    Table table(in.report, "", {{"Color"}, {"Vertices"}});
    for (std::size_t c = 0; c < sizes.size(); ++c) table.add(c, sizes[c]);
    table.print();
  }

  Lines lines(const KernelInput& in) override { return integer_lines(in); }
};

}  // namespace

std::unique_ptr<Kernel> make_coloring() { return std::make_unique<Coloring>(); }

}  // namespace grappa::cli
