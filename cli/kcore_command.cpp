// grappa kcore: core numbers.

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "cli/kernel.hpp"
#include "grappa/graph/collect.hpp"
#include "grappa/graph/io/vertex_names.hpp"
#include "grappa/graph/kernel/core_numbers.hpp"
#include "grappa/graph/verify/verify_core_numbers.hpp"

namespace grappa::cli {
namespace {

constexpr const char* kKCoreDescription =
    "Core numbers: the k-core is the largest set of vertices of which each has at least k "
    "neighbors in the set, and the core number of a vertex is the greatest k of a k-core that it "
    "is in. The greatest of all is the degeneracy of the graph. Edges are taken as undirected; "
    "self-loops are left out, and equal edges count as one.\n\n"
    "Value in -o: the core number; 0 for a vertex without neighbors.\n\n"
    "Peeling in parallel (Kabir and Madduri, \"Parallel k-core decomposition on multicore "
    "platforms\", IPDPS Workshops 2017).";

class KCore final : public Kernel {
 public:
  std::string name() const override { return "kcore"; }
  std::string description() const override { return kKCoreDescription; }
  void add_options(CommandLine&) override {}
  graph::BuildOptions build_options() const override {
    return {.symmetrize = true, .simplify = true};
  }

  void run(const graph::Graph& graph, Progress&) override { result_ = graph::core_numbers(graph); }
  void discard() override { result_ = {}; }

  graph::Verification verify(const graph::Graph& graph) override {
    return graph::verify(graph, result_);
  }

  void summarize(const graph::Graph& graph, const graph::VertexNames&, double, std::int64_t top,
                 Report& report) override {
    report.line("Degeneracy", "{}, the greatest core number",
                fact("degeneracy", result_.degeneracy));
    report.line("Innermost core", "{} of {} vertices", fact("innermost", result_.innermost),
                graph.vertex_count());
    list_cores(graph, top, report);
  }

  void collect_values(const graph::Graph& graph) override {
    if (core_.empty()) core_ = graph::collect(*result_.core, graph);
  }
  void append_value(std::string& line, const graph::VertexNames&,
                    std::int64_t vertex) const override {
    graph::append_integer(line, core_[static_cast<std::size_t>(vertex)]);
  }

 private:
  // The cores from the innermost on, of those k that some vertex has as its core number.
  void list_cores(const graph::Graph& graph, std::int64_t top, Report& report) {
    collect_values(graph);
    std::vector<std::int64_t> count(static_cast<std::size_t>(result_.degeneracy) + 1);
    for (const graph::CoreNumber k : core_) ++count[k];
    Table table(report, "cores", {{"Core number"}, {"Vertices"}, {"In the core"}});
    std::int64_t inside = 0;
    for (std::size_t k = count.size(); k-- > 0 && top > 0;) {
      if (count[k] == 0) continue;
      --top;
      inside += count[k];
      table.add(fact("core", k), fact("vertices", count[k]), fact("vertices_in_core", inside));
    }
    table.print();
  }

  graph::CoreNumbersResult result_;
  std::vector<graph::CoreNumber> core_;  // [vertices], once collected
};

}  // namespace

int run_kcore(const Arguments& arguments) {
  KCore kcore;
  return run_kernel(kcore, arguments);
}

}  // namespace grappa::cli
