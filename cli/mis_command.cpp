// grappa mis: a maximal independent set.

#include <fmt/format.h>

#include <vector>

#include "cli/kernel.hpp"
#include "grappa/graph/collect.hpp"
#include "grappa/graph/kernel/independent_set.hpp"
#include "grappa/graph/verify/verify_independent_set.hpp"

namespace grappa::cli {
namespace {

constexpr const char* kMisDescription =
    "A maximal independent set: vertices of which no two are joined by an edge, and to which none "
    "can be added. It is the one that a greedy algorithm finds in a pseudo-random order of the "
    "vertices, the same for any number of cores and locales; there may be larger ones. Edges are "
    "taken as undirected, self-loops are ignored.\n\n"
    "Value in -o: 1 for a vertex of the set, else 0.\n\n"
    "Greedy rounds (Blelloch, Fineman, Shun, SPAA 2012).";

class Mis final : public Kernel {
 public:
  std::string name() const override { return "mis"; }
  std::string description() const override { return kMisDescription; }
  void add_options(CommandLine&) override {}
  graph::BuildOptions build_options() const override { return {.symmetrize = true}; }

  void run(const graph::Graph& graph, Progress&) override {
    result_ = graph::maximal_independent_set(graph);
  }
  void discard() override { result_ = {}; }

  graph::Verification verify(const graph::Graph& graph) override {
    return graph::verify(graph, result_);
  }

  void summarize(const graph::Graph& graph, const graph::VertexNames&, double, std::int64_t,
                 Report& report) override {
    report.line("In the set", "{} of {} vertices", fact("size", result_.size),
                graph.vertex_count());
    report.set("rounds", result_.rounds);
  }

  void collect_values(const graph::Graph& graph) override {
    in_set_ = graph::collect(*result_.in_set, graph);
  }
  void append_value(std::string& line, const graph::VertexNames&,
                    std::int64_t vertex) const override {
    line += in_set_[static_cast<std::size_t>(vertex)] == 1 ? '1' : '0';
  }

 private:
  graph::IndependentSetResult result_;
  std::vector<std::uint8_t> in_set_;  // [vertices], once collected
};

}  // namespace

int run_mis(const Arguments& arguments) {
  Mis mis;
  return run_kernel(mis, arguments);
}

}  // namespace grappa::cli
