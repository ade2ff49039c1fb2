// grappa coloring: colors such that neighbors differ.

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "cli/vertex_kernel.hpp"
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

class Coloring final : public VertexKernel<&graph::ColoringResult::color> {
 public:
  Coloring()
      : VertexKernel({.title = "coloring",
                      .description = kColoringDescription,
                      .build = {.symmetrize = true}}) {}

  void run(const KernelInput& in) override { result_ = graph::color(in.graph); }

  graph::Verification verify(const KernelInput& in) override {
    return graph::verify(in.graph, result_);
  }

  nlohmann::json summarize(const KernelInput& in, double) override {
    in.report.line("Colors", "{}", result_.colors);
    std::vector<std::int64_t> count(static_cast<std::size_t>(result_.colors));
    for (const std::uint32_t color : values(in)) ++count[color];
    const auto rows = std::min(static_cast<std::size_t>(in.top), count.size());
    std::vector<std::vector<std::string>> cells;
    nlohmann::json sizes = nlohmann::json::array();
    for (std::size_t c = 0; c < rows; ++c) {
      cells.push_back({fmt::format("{}", c), fmt::format("{}", count[c])});
      sizes.push_back(count[c]);
    }
    if (rows > 0) in.report.table({"Color", "Vertices"}, cells);
    return {{"colors", result_.colors}, {"sizes", std::move(sizes)}};
  }

  Lines lines(const KernelInput& in) override { return integer_lines(in); }
};

}  // namespace

std::unique_ptr<Kernel> make_coloring() { return std::make_unique<Coloring>(); }

}  // namespace grappa::cli
